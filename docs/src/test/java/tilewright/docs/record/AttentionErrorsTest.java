package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AttentionErrorsTest {
  private static JsonNode run(String errors) {
    return JsonMapper.shared().readTree("""
        {"gpu": "G", "torch": "2.9", "cudnn": 91900, "commit": "0123456789abcdef", "rows": [
          {"dtype": "bf16", "d": 64, "s": 1024, "heads": 4, "causal": true, "errors": {%s}}]}""".formatted(errors));
  }

  @Test
  void everyProblemIsARowOfErrorsInMillionths() {
    var table = AttentionErrors.table(run("""
        "flash": {"rms": 1e-4, "max": 2e-3}, "cudnn": {"rms": 1.25e-4, "max": 1e-3},
        "sm80_attention": {"rms": 9e-5, "max": 5e-4}, "sm90_attention": {"rms": 8e-5, "max": 4e-4}"""));
    assertTrue(table.startsWith(".G, PyTorch 2.9, cuDNN 91900, commit 0123456789\n"), table);
    assertTrue(table.contains("|bf16 d=64 S=1024 H=4 causal |100.0, 2000 |125.0, 1000 |90.0, 500 |80.0, 400\n"), table);
  }

  @Test
  void gradientsHaveThreeErrorsEach() {
    var each = "{\"dQ\": {\"rms\": 1e-4}, \"dK\": {\"rms\": 2e-4}, \"dV\": {\"rms\": 3e-5}}";
    var table = AttentionErrors.gradients(run(Stream.of("flash", "cudnn", "sm80_attention_backward",
        "sm90_attention_backward").map(name -> "\"" + name + "\": " + each).collect(Collectors.joining(", "))));
    assertTrue(table.contains("|bf16 d=64 S=1024 H=4 causal" + " |100.0, 200.0, 30.0".repeat(4) + "\n"), table);
  }

  @Test
  void methodsOfQuantisationStandBesideThePapers() {
    var table = AttentionErrors.quantized(JsonMapper.shared().readTree("""
        {"inputs": "N(0,1) * B(0.1)", "d": 128, "s": 1024, "heads": 12, "block": 64,
          "rms": {"per_tensor": 0.0159, "blocks": 0.0133, "hadamard": 0.00896, "blocks_and_hadamard": 0.00872,
            "mxf8": 0.0101, "mxf8_and_hadamard": 0.0102, "mxf8_covering": 0.0103, "mxf8_covering_and_hadamard": 0.0104},
          "FlashAttention-3": {"per_tensor": 0.024, "blocks": 0.024, "hadamard": 0.0093, "blocks_and_hadamard": 0.0091}
        }"""));
    assertTrue(table.startsWith(".N(0,1) · B(0.1): root mean square error"), table);
    assertTrue(table.contains("D=128 S=1024, 12 heads, blocks of 64 rows\n"), table);
    assertTrue(table.contains("|per tensor |15.9 |24\n|per block |13.3 |24\n"), table);
    assertTrue(table.contains("|per block, with the transform |8.72 |9.1\n"), table);
    assertTrue(table.contains("|mxf8, OCP's scales |10.1 |n/a\n|mxf8, OCP's scales, with the transform |10.2 |n/a\n"),
        table);
  }

  @Test
  void errorsOfSumsStandByNumberOfKeys() {
    var table = AttentionErrors.accumulation(JsonMapper.shared().readTree("""
        {"inputs": "N(0,1)", "d": 64, "queries": 8, "block": 64, "rows": [{"mean": 1, "keys": 32768, "relative":
          {"fp32": 5.34e-04, "all": 3.03e-01, "8": 4.12e-03, "4": 1.70e-03, "2": 8.45e-04, "1": 6.08e-04}}]}"""));
    assertTrue(table.startsWith(".N(0,1): root mean square error of O in thousandths of O's; D=64, 8 queries"), table);
    assertTrue(table.contains("|FP32 |All keys |8 blocks |4 blocks |2 blocks |1 block\n"), table);
    assertTrue(table.contains("|1 |32768 |0.534 |303 |4.12 |1.7 |0.845 |0.608\n"), table);
  }

  @Test
  void errorsOfTheKernelStandByOptions() {
    var table = AttentionErrors.kernel(JsonMapper.shared().readTree("""
        {"on": "a GPU", "rows": [{"inputs": "N(0,1)", "d": 64, "keys": 8192, "options": "--accumulation fast",
          "rmse": 1.014e-01, "relative": 1.02e-01}]}"""));
    assertTrue(table.startsWith(".a GPU\n"), table);
    assertTrue(table.contains("|N(0,1) |64 |8192 |`--accumulation fast` |101.4 |102\n"), table);
  }

  @Test
  void aKernelThatIsMissingIsAFaultOfTheFile() {
    var error = assertThrows(IllegalArgumentException.class,
        () -> AttentionErrors.table(run("\"flash\": {\"rms\": 1, \"max\": 1}")));
    assertEquals("no field 'cudnn'", error.getMessage().substring(0, 16));
  }
}
