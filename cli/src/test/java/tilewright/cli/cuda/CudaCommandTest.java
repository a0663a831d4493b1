package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;

/** Options that cannot be, which are refused before anything runs. */
class CudaCommandTest {
  @TempDir
  Path folder;

  private static void assertRefused(String message, Cli run) {
    assertEquals(2, run.exitCode(), run.err());
    assertTrue(run.err().contains(message), run.err());
  }

  @Test
  void recordsAreNotMixed() throws IOException {
    var program = Files.writeString(folder.resolve("program"), "");
    assertRefused("holds files already: --record needs a new or empty folder",
        Cli.run("cuda", "--record", folder.toString(), program.toString()));
  }

  @Test
  void aFileIsNoFolderToRecordTo() throws IOException {
    var file = Files.writeString(folder.resolve("file"), "");
    assertRefused("cannot be a folder to record to",
        Cli.run("cuda", "--record", file.toString(), file.toString()));
  }

  @Test
  void onlyNeedsAName() {
    assertRefused("--only is empty", Cli.run("cuda", "--only", "", "program"));
  }

  @Test
  void aProgramSeesOneToSixteenDevices() {
    assertRefused("--devices is 17; needed is a number from 1 to 16", Cli.run("cuda", "--devices", "17", "program"));
  }

  @Test
  void aProgramMustBeThere() {
    var records = folder.resolve("records");
    assertRefused("there is no such file",
        Cli.run("cuda", "--record", records.toString(), folder.resolve("program").toString()));
    assertFalse(Files.exists(records));
  }
}
