package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** Atoms in print, against the PTX ISA's tables and drawings. */
class LayoutAtomTest {
  @TempDir
  Path folder;

  private static String shown(String... arguments) {
    var all = new String[arguments.length + 2];
    all[0] = "layout";
    all[1] = "atom";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    var run = Cli.run(all);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    return run.out();
  }

  /** Rows 16 to 31 of 64 are lanes 32 to 47. */
  @Test
  void sumsInTensorMemoryHaveTheirLanes() {
    var out = shown("umma", "--rows", "64", "--columns", "8");
    assertTrue(out.startsWith("tcgen05.mma.cta_group::1.kind::f16: 64x8x16, sums of f32\n"), out);
    assertTrue(out.contains("((16,4),8):((65536,2097152),1)"), out);
    assertTrue(out.lines().anyMatch(line -> line.matches(" *32 \\| *T16V0 +T16V1 .*")), out);
  }

  @Test
  void aWarpsLoadHasALaneAThread() {
    var out = shown("tmem", "--shape", "32x32b", "--columns", "4");
    assertTrue(out.startsWith("tcgen05.ld.sync.aligned.32x32b.x4.b32\n"), out);
    assertTrue(shown("tmem", "--shape", "16x256b", "--columns", "8").startsWith(
        "tcgen05.ld.sync.aligned.16x256b.x1.b32\n"));
  }

  /** A row of 64 halves is as wide as the widest swizzle. */
  @Test
  void tilesSayTheirBoxes() {
    var out = shown("tma", "--type", "bf16", "--rows", "8", "--columns", "64");
    assertTrue(out.contains("boxes of [8, 64], swizzled b128\n"), out);
    assertTrue(out.contains("Sw<3,3,3>o0o(8,"), out);
    assertTrue(shown("tma", "--rows", "64", "--columns", "16", "--along", "rows").contains("boxes of [64, 16]"));
  }

  @Test
  void scalesLieAsTheirCopyTakesThem() {
    assertTrue(shown("scales").contains("((32,4),4):((16,4),1)"));
  }

  @Test
  void aWarpgroupsSumsAreDrawnToAFile() throws Exception {
    var file = folder.resolve("sums.svg");
    assertTrue(shown("wgmma", "--columns", "8", "--out", file.toString()).contains("sums.svg: "));
    assertTrue(Files.readString(file).startsWith("<svg"));
  }

  @ParameterizedTest
  @CsvSource({"mma, no atom is called mma: wgmma", "umma --rows 100, has 100 rows: 64 or 128",
      "umma --type f64, no tcgen05.mma multiplies f64", "tmem --shape 8x8, no --shape 8x8: 32x32b"})
  void whatThereIsNotIsRefused(String arguments, String complaint) {
    var run = Cli.run(("layout atom " + arguments).split(" "));
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains(complaint), run.err());
  }
}
