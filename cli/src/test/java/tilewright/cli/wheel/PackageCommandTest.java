package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.JsonNode;

/** The smallest package from the command to a Python that imports it. */
class PackageCommandTest {
  private static final String INFO = "tilewright-0.0.0.dev0.dist-info/";
  private static final List<String> COMMAND = List.of("package", "--json", "--arch", "sm80", "--operator",
      "attention_forward", "--case", "bf16-causal", "--out");
  /** Imports what was installed, and asks for a kernel that it has and for one that it has not. */
  private static final String PROGRAM = """
      import tilewright
      from tilewright import _dispatch
      assert "attention" in dir(tilewright)
      data = _dispatch.Data(80)
      case = data.case("attention_forward", "bf16-causal")
      template = case.choose({"D": 128, "Sq": 1000, "Sk": 1000, "H": 8, "Hk": 8})
      kernel = data.kernels[template.launches[0].kernel]
      *_, ptx = data.images(kernel)
      assert (".entry " + kernel["entry"]).encode() in ptx
      try:
          data.case("attention_forward", "f16-all")
      except NotImplementedError as error:
          print(error)
      """;

  @TempDir
  Path folder;

  @Test
  void whatIsPackagedIsRecordedAndImported() throws IOException, InterruptedException, NoSuchAlgorithmException {
    var row = run(folder.resolve("new/folder"));
    var wheel = Path.of(row.get("wheel").asString());
    assertEquals(folder.resolve("new/folder/tilewright-0.0.0.dev0-py3-none-any.whl"), wheel);
    assertEquals("0.0.0.dev0", row.get("version").asString());
    assertEquals(Files.size(wheel), row.get("bytes").asLong());
    var files = WheelTest.files(Files.readAllBytes(wheel));
    WheelTest.assertRecorded(files, INFO + "RECORD");
    assertEquals(row.get("kernels").asInt(), files.keySet().stream().filter(name -> name.endsWith(".ptx.z")).count());
    assertEquals(row.get("cubins").asInt(), files.keySet().stream().filter(n -> n.endsWith(".cubin.z")).count());
    assertTrue(row.get("kernels").asInt() > 0, row.toString());
    assertImported(install(files));
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "{\"x\":{\"score\":[\"erf\",\"s\"]}}; has no functions for kernels: no operation on numbers is [\"erf\",\"s\"]",
      "{\"x\":{\"tensors\":[[\"f64\",1]]}}; a function reads a tensor of f64: f32, f16",
      "{\"x\":; has no functions for kernels: "})
  void functionsThatNoKernelHasAreRefused(String text, String message) throws IOException {
    var file = Files.writeString(folder.resolve("functions.json"), text);
    var run = Cli.run("package", "--out", folder.toString(), "--operator", "flex_forward", "--functions",
        file.toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(message), run.err());
  }

  private JsonNode run(Path out) {
    var run = Cli.run(Stream.concat(COMMAND.stream(), Stream.of(out.toString())).toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    return run.json().getFirst();
  }

  private Path install(Map<String, byte[]> files) throws IOException {
    var site = folder.resolve("site");
    for (var file : files.entrySet()) {
      var path = site.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
    return site;
  }

  private static void assertImported(Path site) throws IOException, InterruptedException {
    var ended = Python.run(Map.of("PYTHONPATH", site.toString()), "-c", PROGRAM);
    assertEquals(0, ended.status(), ended.text());
    assertTrue(ended.text().contains("this package has no attention_forward for f16-all on sm80, only for: "
        + "bf16-causal; add it by: tilewright package"), ended.text());
  }
}
