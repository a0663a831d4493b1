package tilewright.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.json.JsonMapper;

/** Attention without Java: asks for the grids of many problems, which takes its time. */
class ExportAttentionTest {
  @TempDir
  Path folder;

  @Test
  void attentionIsForAnyLengthsAndNumbersOfHeads() throws IOException {
    var run = Cli.run("export", "sm80-attention", "--out", folder.toString(), "--set", "dim=32", "--set", "heads=4",
        "--set", "keyheads=4");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var manifest = JsonMapper.shared().readTree(Files.readString(folder.resolve("manifest.json")));
    assertEquals(List.of("Q", "K", "V", "O", "LSE"), manifest.get("arguments").valueStream().filter(a ->
        a.get("kind").asString().equals("pointer")).map(a -> a.get("name").asString()).toList());
    var values = manifest.get("arguments").valueStream().filter(a -> a.get("name").asString().equals("V")).findFirst()
        .orElseThrow();
    assertEquals("[\"Dv\",\"Sk\",\"Hk\",\"B\"] Dv {\"Dv\":32}", values.get("extents") + " "
        + values.get("contiguous").asString() + " " + values.get("fixed"));
    assertEquals("{\"factor\":1,\"tiles\":{\"B\":1,\"H\":1,\"Sq\":128}}",
        manifest.get("grid").get("formula").get(0).toString());
  }
}
