package tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tools.jackson.databind.json.JsonMapper;

/** Compares the documented budgets of Hopper kernels with fresh counts, some of those beside measurements too. */
class KeptHopperBudgetsTest {

  @TempDir
  Path folder;

  @Test
  void theConfigurationThatIsExpectedToBeFastestIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("gemm-sm90.jsonl", "budget", "gemm", "--arch", "sm90", "--json");
  }

  @Test
  void attentionIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("attention-sm90.jsonl", "budget", "attention", "--arch", "sm90", "--json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm80", "sm90"})
  void gradientsAreAsTheyWereKept(String arch) throws IOException {
    KeptBudgets.assertKept("attention-backward-" + arch + ".jsonl", "budget", "attention_backward", "--arch", arch,
        "--json");
  }

  @ParameterizedTest
  @CsvSource({"gemm, gemm, sm90-gemm-h200, 26", "attention, attention, sm90-attention-h200, 18",
      "attention_backward, attention-backward, attention/attention-backward-h200, 18"})
  void whatStandsBesideMeasurementsIsAsItWasKept(String kernel, String file, String measured, int every)
      throws IOException {
    var operations = operations(measured);
    var rows = KeptBudgets.rows(file + "-h200.jsonl").stream()
        .filter(row -> operations.containsKey(row.get("row").asString())).toList();
    var sampled = IntStream.iterate(0, i -> i < rows.size(), i -> i + every).mapToObj(rows::get).toList();
    assertFalse(sampled.isEmpty());
    var record = JsonMapper.shared().createObjectNode();
    var problems = record.putArray("rows");
    for (var row : sampled) {
      var name = row.get("row").asString();
      problems.addObject().put("kernel", "sm90_" + kernel).put("config", name).put("ours", 1)
          .put("operations", operations.get(name));
    }
    var sample = folder.resolve("record.json");
    Files.writeString(sample, record.toString());
    var fresh = Cli.run("budget", "--compare", sample.toString(), "--json");
    assertEquals(sampled.size(), fresh.json().size(), fresh.err());
    for (int i = 0; i < sampled.size(); i++) {
      for (var name : List.of("bound", "expected")) {
        KeptBudgets.assertClose(file + "-h200.jsonl", name, sampled.get(i), fresh.json().get(i));
      }
    }
  }

  /** The operations of each row of a record, by configuration. */
  private static Map<String, Double> operations(String measured) throws IOException {
    var record = KeptBudgets.docs().resolve("benchmarks").resolve(measured + ".json");
    return JsonMapper.shared().readTree(Files.readString(record)).get("rows").valueStream()
        .collect(Collectors.toMap(row -> row.get("config").asString(), row -> row.get("operations").asDouble()));
  }
}
