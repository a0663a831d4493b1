package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The budget page's tables: what they say of kept rows, and what the kept rows must say. */
class BudgetPageTest {
  private static final Path KEPT = Path.of("budget");

  @Test
  void aMeasurementStandsBesideItsBoundWithTheMeanOfAllRatios() {
    var rows = List.of(row(400, 500), row(600, 500)).stream().map(JsonMapper.shared()::readTree).toList();
    var table = BudgetPage.measured("GEMM", rows);
    assertTrue(table.startsWith(".GEMM: measured over expected is 0.980 in the geometric mean; "
        + "the expectation is off by 20.0 % on average\n"), table);
    assertTrue(table.contains("|1x2x3 |tiles |tensor cores |900 |500 |400 |0.80\n"), table);
  }

  private static String row(double measured, double expected) {
    return "{\"problem\": \"1x2x3\", \"configuration\": \"tiles\", \"bottleneck\": \"tensor cores\", \"bound\": 900, "
        + "\"expected\": " + expected + ", \"measured\": " + measured + "}";
  }

  @Test
  void noMeasurementIsFasterThanTheBoundThatWasKept() throws IOException {
    for (var file : List.of("gemm-h200.jsonl", "attention-h200.jsonl")) {
      for (var row : BudgetPage.rows(KEPT.resolve(file))) {
        assertTrue(row.get("measured").asDouble() <= row.get("bound").asDouble(), row.toString());
      }
    }
  }

  @Test
  void whatWasKeptSaysThatItIsAModel() throws IOException {
    for (var file : List.of("gemm-sm90.jsonl", "gemm-sm100.jsonl", "attention-sm90.jsonl", "attention-sm100.jsonl")) {
      for (var row : BudgetPage.rows(KEPT.resolve(file))) assertEquals("true", row.get("model").asString());
    }
  }
}
