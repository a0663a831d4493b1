package tilewright.cli.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.SimCommandTest;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.verification.Row;

class FailureDumpTest {
  private static final Row ROW = new Row("some_kernel", "sm80", "gpu", "n=4", Row.Status.FAIL, OptionalDouble.empty(),
      OptionalDouble.empty(), Optional.empty(), 0, 0, "wrong");

  @TempDir
  Path folder;

  @Test
  void aDumpedLaunchReplaysInTheSimulator() throws IOException {
    var out = MemorySegment.ofArray(new byte[] {9, 9, 9, 9, 9, 9});
    var launch = new Launch(SimCommandTest.PTX, "k", Dim3.ONE, Dim3.of(4), Dim3.ONE, 0, Map.of("out", out),
        List.of(new Launch.Argument.Buffer("out"), Launch.Argument.u32(5)));
    var dump = new FailureDump(folder);
    var dumped = dump.write(ROW, launch);
    assertEquals(folder.resolve("01-some_kernel-gpu"), dumped);
    assertEquals(folder.resolve("02-some_kernel-gpu"), dump.write(ROW, launch));
    var results = folder.resolve("results");
    var run = Cli.run("sim", dumped.toString(), "--out", results.toString());
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    assertArrayEquals(new byte[] {5, 6, 7, 8, 9, 9},
        Files.readAllBytes(results.resolve("01-some_kernel-gpu").resolve("out.bin")));
  }
}
