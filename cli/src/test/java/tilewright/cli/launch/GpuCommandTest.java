package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;

@Tag("gpu")
class GpuCommandTest {
  @TempDir
  Path folder;

  @BeforeEach
  void needsAGpu() {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available, "no GPU");
  }

  @Test
  void theSimulatorReproducesWhatAGpuRecorded() throws IOException {
    Files.writeString(folder.resolve("k.ptx"), SimCommandTest.PTX);
    var launch = Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "block": [4], "buffers": {"out": {"bytes": 6, "fill": "0xCD"}},
         "args": [{"buffer": "out"}, {"u32": 5}]}
        """).toString();
    var recorded = Cli.run("gpu", "--record", launch);
    assertEquals(Exit.OK, recorded.exitCode(), recorded.out() + recorded.err());
    assertArrayEquals(new byte[] {5, 6, 7, 8, -51, -51}, Files.readAllBytes(folder.resolve("out.expected.bin")));
    assertEquals(Exit.OK, Cli.run("gpu", launch).exitCode());
    assertEquals(Exit.OK, Cli.run("sim", launch).exitCode());
  }

  @Test
  void aMismatchOnAGpuIsAFailedCheck() throws IOException {
    Files.writeString(folder.resolve("k.ptx"), SimCommandTest.PTX);
    Files.write(folder.resolve("wrong.bin"), new byte[] {5, 6, 7, 9});
    var launch = Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "block": [4], "buffers": {"out": {"bytes": 4, "fill": 0}},
         "args": [{"buffer": "out"}, {"u32": 5}], "expect": {"out": "wrong.bin"}}
        """).toString();
    var run = Cli.run("gpu", "--json", launch);
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    assertTrue(run.json().getFirst().get("mismatch").asString().contains("byte 3 is 0x08, expected 0x09"), run.out());
  }

  @Test
  void gemmGivesTheSameFileOnAGpuAndInTheSimulator() throws IOException {
    var random = new Random(1);
    for (var name : new String[] {"a.npy", "b.npy"}) {
      var halves = new byte[2 * 33 * 65];
      // Integers up to 7 in halves: every product and sum is exact, in whatever order.
      for (int i = 0; i < halves.length; i += 2) {
        short half = Float.floatToFloat16(random.nextInt(-7, 8));
        halves[i] = (byte) half;
        halves[i + 1] = (byte) (half >> 8);
      }
      Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f2", false, "(33, 65)"), halves));
    }
    for (var backend : new String[] {"sim", "gpu"}) {
      var run = Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("b.npy"), "--out", path(backend + ".npy"),
          "--on", backend);
      assertEquals(Exit.OK, run.exitCode(), run.err());
    }
    assertArrayEquals(Files.readAllBytes(folder.resolve("sim.npy")), Files.readAllBytes(folder.resolve("gpu.npy")));
  }

  /** Hopper's tensor cores keep other bits of a sum than those of the PTX's own target, sm_80. */
  @Test
  void theSimulatorRoundsAsTheGpuThatRecorded() throws IOException {
    Files.write(folder.resolve("a.npy"), Npy.normalHalves(200, 128, 1));
    Files.write(folder.resolve("b.npy"), Npy.normalHalves(136, 128, 2));
    var dump = path("dump");
    Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("b.npy"), "--out", path("c.npy"), "--on", "gpu",
        "--dump", dump);
    assertEquals(Exit.OK, Cli.run("gpu", dump, "--record").exitCode());
    var replay = Cli.run("sim", dump);
    assertEquals(Exit.OK, replay.exitCode(), replay.out());
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }
}
