package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** Small folders whose counts are known by hand. */
class LayoutGoldenTest {
  private static final String RIGHT = """
      {"id":"a/0","op":"coalesce","args":{"a":"(2,(1,6)):(1,(6,2))"},"expect":"12:1","verdict":"ok"}
      {"id":"a/1","op":"coalesce","args":{"a":"(2,2):(1,3)"},"expect":"(2,2):(1,3)","verdict":"ok"}
      """;
  private static final String WRONG = """
      {"id":"b/0","op":"layout_eval","args":{"layout":"(4,8):(8,1)","crd":"(2,3)"},"expect":"20","verdict":"ok"}
      """;

  @TempDir
  private Path folder;

  @Test
  void countsRecordsOfEachOperation() throws IOException {
    Files.writeString(folder.resolve("coalesce.jsonl"), RIGHT);
    var run = Cli.run("layout", "golden", folder.toString(), "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals("""
        {"op":"coalesce","records":2,"mismatches":0}
        {"total":2,"mismatches":0}
        """, run.out());
  }

  @Test
  void namesEachMismatchAndFails() throws IOException {
    Files.createDirectory(folder.resolve("deep"));
    Files.writeString(folder.resolve("coalesce.jsonl"), RIGHT);
    Files.writeString(folder.resolve("deep/layout_eval.jsonl"), WRONG);
    var run = Cli.run("layout", "golden", folder.toString());
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    assertTrue(run.out().contains("b/0 {\"layout\":\"(4,8):(8,1)\",\"crd\":\"(2,3)\"}: expected 20, got 19"),
        run.out());
    assertTrue(run.out().endsWith("3 records, 1 mismatches\n"), run.out());
  }

  @Test
  void namesTheFileAndLineThatIsNoRecord() throws IOException {
    Files.writeString(folder.resolve("coalesce.jsonl"), RIGHT + "{\"op\":\n");
    var run = Cli.run("layout", "golden", folder.toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertEquals("", run.out());
    assertTrue(run.err().contains("coalesce.jsonl, line 3: not JSON"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void refusesAMissingFolder() {
    var run = Cli.run("layout", "golden", folder.resolve("absent").toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("absent: not a folder"), run.err());
  }
}
