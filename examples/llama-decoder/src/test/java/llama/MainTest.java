package llama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MainTest {
  private static final String TOKENS = "3";

  @TempDir
  Path folder;

  private record Run(int status, String out, String err) {}

  private static Run run(String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new StringWriter();
    var console = System.out;
    try (var captured = new PrintStream(out, true, StandardCharsets.UTF_8)) {
      System.setOut(captured);
      int status = Main.commandLine().setErr(new PrintWriter(err, true)).execute(arguments);
      return new Run(status, out.toString(StandardCharsets.UTF_8), err.toString());
    } finally {
      System.setOut(console);
    }
  }

  private static Run recorded(Recorded recorded, String... more) {
    var prompt = Arrays.stream(recorded.prompts()[0]).mapToObj(Integer::toString).collect(Collectors.joining(","));
    return run(Stream.concat(Stream.of("--model", recorded.folder().toString(), "--prompt-ids", prompt, "--tokens",
        TOKENS), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void everyTextOfABatchIsWhatTransformersWrites() throws Exception {
    var recorded = Recorded.load();
    var run = recorded(recorded, "--batch", "3", "--json");
    assertEquals(0, run.status, run.err);
    var json = JsonMapper.shared().readTree(run.out);
    var wanted = Arrays.toString(Arrays.copyOf(recorded.tokens()[0], Integer.parseInt(TOKENS)));
    assertEquals(3, json.get("texts").size());
    for (var text : json.get("texts")) {
      assertEquals(wanted, text.valueStream().map(JsonNode::asInt).toList().toString());
    }
    assertTrue(json.get("tokensPerSecond").asDouble() > 0 && json.get("decodeTokensPerSecond").asDouble() > 0, run.out);
  }

  @Test
  void simulatedDevicesShareTheModel() throws Exception {
    var recorded = Recorded.load();
    try (var devices = Devices.open(2, 0)) {
      assertEquals("2 × the simulator", devices.toString());
    }
    assumeTrue(Devices.gpus() != 1, "one GPU is not two");
    var run = recorded(recorded, "--gpus", "2");
    var wanted = Arrays.toString(Arrays.copyOf(recorded.tokens()[0], Integer.parseInt(TOKENS)));
    assertTrue(run.out.startsWith("[" + wanted + "]\n") && run.out.contains(" on 2 × "), run.out + run.err);
  }

  @Test
  void moreGpusThanThereAreAreRefused() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> Devices.open(4, 2));
    assertEquals("--gpus 4; this machine has 2", refusal.getMessage());
  }

  @Test
  void drawnTokensArePrintedForPeople() throws Exception {
    var run = recorded(Recorded.load(), "--top-p", "0.95", "--seed", "5");
    assertTrue(run.out.matches("\\[\\[\\d+, \\d+, \\d+]]\n[0-9.]+ tokens/s, [0-9.]+ after the first, on .*\n"),
        run.out);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--prompt-ids 1,96       | prompt ids are [1, 96]; needed are 0 to 95",
      "--prompt-ids -1         | prompt ids are [-1]; needed are 0 to 95",
      "--prompt-ids 1 --tokens 0 | a number is below 1",
      "--prompt-ids 1 --batch 0  | a number is below 1",
      "--prompt-ids 1 --gpus 0   | a number is below 1",
      "--prompt-ids 1 --top-p 2  | top-p is 2.0; needed is above 0, at most 1"})
  void wrongOptionsAreRefused(String options, String reason) throws Exception {
    var model = Recorded.load().folder().toString();
    var run = run(Stream.concat(Stream.of("--model", model), Stream.of(options.split(" "))).toArray(String[]::new));
    assertEquals(2, run.status);
    assertEquals("llama-decoder: " + reason + "\n", run.err);
  }

  @Test
  void aModelThatIsMissingOrIncompleteIsRefused() throws Exception {
    assertEquals("llama-decoder: cannot read " + folder.resolve("config.json") + "\n", refused());
    var model = TinyModel.random(new LlamaConfig(8, 1, 1, 1, 8, 8, 8, 10000, 1e-5f, true), 1);
    model.shapes().remove("model.layers.0.mlp.up_proj.weight");
    model.writeTo(folder);
    assertEquals("llama-decoder: " + folder + " has no tensor model.layers.0.mlp.up_proj.weight\n", refused());
    Files.write(folder.resolve("model.safetensors"), new byte[3]);
    assertEquals("llama-decoder: " + folder.resolve("model.safetensors")
        + " has 3 bytes, and its header claims -1\n", refused());
  }

  private String refused() {
    var run = run("--model", folder.toString(), "--prompt-ids", "1");
    assertEquals(2, run.status);
    return run.err;
  }
}
