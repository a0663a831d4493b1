package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The budget page's tables: what they say of kept rows, and what the kept rows must say. */
class BudgetPageTest {
  private static final Path KEPT = Path.of("budget");

  @Test
  void aMeasurementStandsBesideItsBoundWithTheMeanOfAllRatios() {
    var rows = List.of(row("a", 500), row("b", 500)).stream().map(JsonMapper.shared()::readTree).toList();
    var table = BudgetPage.measured("GEMM", rows, Map.of("a", 400.0, "b", 600.0, "c", 700.0));
    assertTrue(table.startsWith(".GEMM: measured over expected is 0.980 in the geometric mean of 2 rows; "
        + "the expectation is off by 20.0 % on average (1 more were not modelled)\n"), table);
    assertTrue(table.contains("|1x2x3 |tiles |tensor cores |900 |500 |400 |0.80\n"), table);
  }

  private static String row(String name, double expected) {
    return "{\"row\": \"" + name + "\", \"problem\": \"1x2x3\", \"configuration\": \"tiles\", \"bottleneck\": "
        + "\"tensor cores\", \"bound\": 900, \"expected\": " + expected + "}";
  }

  @Test
  void noMeasurementIsFasterThanTheBoundThatWasKept() throws IOException {
    var records = Map.of("gemm", "sm90-gemm-h200.json", "attention", "sm90-attention-h200.json",
        "attention-backward", BudgetPage.GRADIENTS);
    for (var kernel : records.keySet()) {
      var rates = BudgetPage.rates(Path.of("."), records.get(kernel));
      for (var row : BudgetPage.rows(KEPT.resolve(kernel + "-h200.jsonl"))) {
        double measured = rates.getOrDefault(row.get("row").asString(), 0.0);
        assertTrue(measured <= row.get("bound").asDouble(), row.toString());
      }
    }
  }

  @Test
  void whatWasKeptSaysThatItIsAModel() throws IOException {
    for (var file : List.of("gemm-sm90.jsonl", "gemm-sm100.jsonl", "attention-sm90.jsonl", "attention-sm100.jsonl",
        "attention-sm100-e4m3.jsonl", "attention-sm100-mxf8.jsonl",
        "attention-backward-sm80.jsonl", "attention-backward-sm90.jsonl", "attention-backward-sm100.jsonl")) {
      for (var row : BudgetPage.rows(KEPT.resolve(file))) assertEquals("true", row.get("model").asString());
    }
  }
}
