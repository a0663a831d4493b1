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
import tilewright.layout.Layout;
import tools.jackson.databind.JsonNode;

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

  /** The layouts that CuTe C++ has for these instructions (mma_traits_sm80.hpp, sm89). */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      mma                                            | ((4,8),(2,2)):((32,1),(16,8))
      mma --operand a                                | ((4,8),(2,2,2)):((32,1),(16,8,128))
      mma --operand b                                | ((4,8),(2,2)):((16,1),(8,64))
      mma --operand a --type f16 --shape m16n8k8     | ((4,8),(2,2)):((32,1),(16,8))
      mma --operand b --type f16 --shape m16n8k8     | ((4,8),2):((16,1),8)
      mma --operand a --type tf32                    | ((4,8),(2,2)):((16,1),(8,64))
      mma --operand b --type tf32                    | ((4,8),2):((8,1),32)
      mma --operand a --type tf32 --shape m16n8k4    | ((4,8),2):((16,1),8)
      mma --operand a --type i8 --shape m16n8k16     | ((4,8),(4,2)):((64,1),(16,8))
      mma --operand a --type e4m3                    | ((4,8),(4,2,2)):((64,1),(16,8,256))
      mma --operand b --type e5m2                    | ((4,8),(4,2)):((32,1),(8,128))
      """)
  void operandsOfMmaLieAsInCute(String arguments, String layout) {
    assertEquals(layout, atom(arguments).get("layout").asString());
  }

  /** PTX ISA: lane l holds elements 2 (l mod 4) and the next of row l / 4 of each matrix; .trans swaps the two. */
  @ParameterizedTest
  @CsvSource({"ldmatrix, 4, false", "ldmatrix, 2, true", "stmatrix, 1, false", "stmatrix, 4, true"})
  void matricesLieAsThePtxIsaSays(String kind, int count, boolean transposed) {
    var row = atom(kind + " --matrices " + count + (transposed ? " --transposed" : ""));
    var layout = Layout.parse(row.get("layout").asString());
    for (int lane = 0; lane < 32; lane++) {
      for (int value = 0; value < 2 * count; value++) {
        int along = 2 * (lane % 4) + value % 2;
        int other = lane / 4;
        int below = 8 * (value / 2) + (transposed ? along : other);
        assertEquals(below + 8L * count * (transposed ? other : along), layout.apply(lane + 32L * value));
      }
    }
  }

  private static JsonNode atom(String arguments) {
    var run = Cli.run(("layout atom " + arguments + " --json").split(" "));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    return run.json().getFirst();
  }

  @ParameterizedTest
  @CsvSource({"mmm, no atom mmm; did you mean mma?", "mma --type f64, no mma.sync of --type f64",
      "mma --shape m16n8k32, no mma.sync of bf16 has --shape m16n8k32; there are m16n8k8, m16n8k16",
      "ldmatrix --matrices 3, no ldmatrix has --matrices 3", "mma --operand d, no --operand d", "umma --rows 100, has 100 rows: 64 or 128",
      "umma --type f64, no tcgen05.mma multiplies f64", "tmem --shape 8x8, no --shape 8x8; there are 32x32b"})
  void whatThereIsNotIsRefused(String arguments, String complaint) {
    var run = Cli.run(("layout atom " + arguments).split(" "));
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains(complaint), run.err());
  }
}
