package tilewright.cli.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** {@code sass} with a stand-in for {@code nvdisasm}. */
class SassCommandTest {
  private static final String LISTING = """
      vector_add:
      \t//## File "VectorAdd.java", line 48
              /*0000*/                   S2R R0, SR_CTAID.X ;
      .L_x_0:
      \t//## File "VectorAdd.java", line 45
              /*0010*/                   S2R R3, SR_TID.X ;
              /*0020*/                   BRA `(.L_x_0) ;
      \t//## File "VectorAdd.java", line 48
              /*0030*/                   EXIT ;
      """;

  @TempDir
  Path folder;

  private Path program(String text) throws IOException {
    var program = Files.writeString(folder.resolve("nvdisasm"), "#!/bin/sh\n" + text + "\n");
    assertTrue(program.toFile().setExecutable(true));
    return program;
  }

  @Test
  void machineCodeStandsBelowItsJavaAndPtx() throws IOException {
    Files.writeString(folder.resolve("listing"), LISTING);
    var program = program("cat " + folder.resolve("listing"));
    var run = Cli.run("sass", "vector-add", "--disassembler", program.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var ptx = Cli.run("ptx", "vector-add").out().lines().toList();
    int block = ptx.indexOf("  mov.u32 %r1, %ctaid.x;") + 1;
    assertTrue(run.out().contains("VectorAdd.java:48\n  ptx %5d  mov.u32 %%r1, %%ctaid.x;\n       0000  S2R R0, SR_CTAID.X\n"
        .formatted(block)), run.out());
    assertTrue(run.out().contains(".L_x_0:\n       0010  S2R R3, SR_TID.X\n"), run.out());
    assertTrue(run.out().contains("VectorAdd.java:48  (PTX above)\n       0030  EXIT"), run.out());
    var row = Cli.run("sass", "vector-add", "--disassembler", program.toString(), "--json").json().getFirst();
    assertEquals(3, row.get("blocks").size());
    assertEquals(45, row.get("blocks").get(1).get("line").asInt());
    assertEquals("mov.u32 %r2, %tid.x;", row.get("blocks").get(1).get("ptx").get(0).get("text").asString());
    assertEquals(2, row.get("blocks").get(1).get("sass").size());
  }

  @Test
  void withoutADisassemblerThisMachineLacksSomething() throws IOException {
    var missing = Cli.run("sass", "vector-add", "--disassembler", folder.resolve("none").toString());
    assertEquals(Exit.ENVIRONMENT, missing.exitCode(), missing.err());
    assertEquals(1, missing.err().lines().count(), missing.err());
    var mute = Cli.run("sass", "vector-add", "--disassembler", program("exit 0").toString());
    assertEquals(Exit.ENVIRONMENT, mute.exitCode(), mute.err());
    assertTrue(mute.err().contains("printed no instruction"), mute.err());
  }
}
