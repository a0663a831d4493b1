package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.tukaani.xz.XZInputStream;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
      ptx = data.code(kernel, "ptx")
      assert (".entry " + kernel["entry"]).encode() in ptx and ptx.endswith(b"}\\n\\0")
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
    var kernels = JsonMapper.shared().readTree(files.get("tilewright/data/kernels.json"));
    assertEquals(row.get("kernels").asInt(), kernels.size());
    assertEquals(row.get("cubins").asInt(), kernels.valueStream().filter(k -> !k.get("cubin").isEmpty()).count());
    for (var kernel : kernels) {
      var code = new String(code(files, kernel.get("ptx")), StandardCharsets.UTF_8);
      assertTrue(code.strip().startsWith(".version") && code.endsWith("}\n"), code);
      assertTrue(code.contains(".entry " + kernel.get("entry").asString() + "("), code);
      if (!kernel.get("cubin").isEmpty()) assertEquals(0x7f, code(files, kernel.get("cubin"))[0], "no ELF file");
    }
    assertTrue(row.get("kernels").asInt() > 0, row.toString());
    assertImported(install(files));
  }

  private static byte[] code(Map<String, byte[]> files, JsonNode place) throws IOException {
    var block = files.get("tilewright/data/%04d.xz".formatted(place.get(0).asInt()));
    try (var stream = new XZInputStream(new ByteArrayInputStream(block))) {
      stream.skipNBytes(place.get(1).asInt());
      return stream.readNBytes(place.get(2).asInt());
    }
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
