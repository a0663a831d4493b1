package tilewright.verification.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The model of Hopper beside what was measured on an H200. */
class RecordedRatesTest {
  private static final Budgets BUDGETS = new Budgets();

  /** Rows of a record whose configuration contains a text: each configuration of a kernel takes seconds. */
  private static RecordedRates rates(String file, String containing) throws IOException {
    var folder = Path.of("docs/benchmarks");
    if (!Files.exists(folder)) folder = Path.of("../docs/benchmarks");
    var record = (ObjectNode) JsonMapper.shared().readTree(Files.readString(folder.resolve(file)));
    var chosen = ((ArrayNode) record.get("rows")).valueStream()
        .filter(row -> row.get("config").asString().contains(containing)).toList();
    record.set("rows", JsonMapper.shared().createArrayNode().addAll(chosen));
    return RecordedRates.of(record.toString(), BUDGETS);
  }

  private static void assertWithin(RecordedRates rates, double bias, double error) {
    assertTrue(rates.rows().size() >= 10, () -> "rows: " + rates.rows().size() + ", unknown: " + rates.unknown());
    for (var row : rates.rows()) {
      assertTrue(row.measured() <= row.bound(), () -> row.budget().problem() + ": measured " + row.measured()
          + " TFLOP/s, more than the bound " + row.bound());
    }
    assertEquals(1, rates.mean(), bias);
    assertTrue(rates.error() <= error, () -> "mean error " + rates.error());
  }

  @Test
  void noGemmIsFasterThanItsBoundAndMostAreAsExpected() throws IOException {
    assertWithin(rates("sm90-gemm-h200.json", "TN bf16->bf16 128x256x64"), 0.10, 0.12);
  }

  @Test
  void noAttentionIsFasterThanItsBoundAndMostAreAsExpected() throws IOException {
    assertWithin(rates("sm90-attention-h200.json", "D=128"), 0.10, 0.10);
  }

  @Test
  void rowsOfOtherKernelsAreNamed() {
    var record = "{\"rows\": [{\"kernel\": \"softmax\", \"config\": \"m=1 n=2\"}]}";
    assertEquals(List.of("m=1 n=2"), RecordedRates.of(record, BUDGETS).unknown());
  }
}
