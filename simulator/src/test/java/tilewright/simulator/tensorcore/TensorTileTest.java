package tilewright.simulator.tensorcore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every path through the tile, plain, with vectors and exact, against the definition on big integers. */
class TensorTileTest {
  private static final int ROWS = 16;
  /** A kind of multiplication, and what it is by definition. */
  private record Form(String name, DotModel model, MmaType left, MmaType right, int depth, ExactDot definition) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Form warp(int architecture, MmaType type, boolean half) {
    boolean hopper = architecture >= 90;
    boolean tf32 = type == MmaType.TF32;
    int zero = (half ? -20 : -132) - (hopper ? 1 : 0);
    return new Form("sm_" + architecture + " " + type + (half ? " to f16" : ""),
        DotModel.warp(architecture, type, half), type, type, tf32 ? 8 : 16,
        new ExactDot(hopper ? 25 : 24, (hopper ? 16 : 8) / (tf32 ? 2 : 1), zero, half ? 10 : 23));
  }

  private static Form warpgroup(MmaType left, MmaType right, boolean half) {
    boolean bytes = left.bits() == 8;
    int depth = 256 / left.bits();
    return new Form("wgmma " + left + " " + right + (half ? " to f16" : ""), DotModel.warpgroup(left, half), left,
        right, depth, new ExactDot(bytes ? 13 : 25, depth, half ? -21 : -133, half ? 10 : bytes ? 13 : 23));
  }

  private static Form blackwell(MmaType left, MmaType right, boolean half) {
    return new Form("tcgen05 " + left + " " + right + (half ? " to f16" : ""), DotModel.blackwell(left, half), left,
        right, 32, new ExactDot(25, 32, -133, half ? 10 : 23));
  }

  private static Stream<Form> forms() {
    var old = Stream.of(80, 90).flatMap(architecture -> Stream.of(warp(architecture, MmaType.F16, false),
        warp(architecture, MmaType.BF16, false), warp(architecture, MmaType.TF32, false),
        warp(architecture, MmaType.F16, true)));
    var hopper = Stream.of(warpgroup(MmaType.F16, MmaType.F16, true), warpgroup(MmaType.BF16, MmaType.BF16, false),
        warpgroup(MmaType.TF32, MmaType.TF32, false), warpgroup(MmaType.E4M3, MmaType.E4M3, false),
        warpgroup(MmaType.E4M3, MmaType.E5M2, false), warpgroup(MmaType.E5M2, MmaType.E4M3, true));
    var ada = new Form("sm_89 e5m2", DotModel.warp(89, MmaType.E5M2, false), MmaType.E5M2, MmaType.E5M2, 32,
        new ExactDot(13, 16, -132, 13));
    var blackwell = Stream.of(blackwell(MmaType.E5M2, MmaType.E5M2, false),
        blackwell(MmaType.E4M3, MmaType.E2M3, false), blackwell(MmaType.E3M2, MmaType.E2M1, true));
    return Stream.of(old, hopper, Stream.of(ada), blackwell).flatMap(s -> s);
  }

  /** How bits are drawn: all of them, or with exponents that keep the sums on the fast paths or off them. */
  private enum Data { RAW, ORDINARY, CANCELLING, TINY, HUGE, MIXED }

  static Stream<Arguments> paths() {
    return Stream.of(new PlainBlockAdder(), new VectorBlockAdder())
        .flatMap(adder -> forms().map(form -> Arguments.of(adder, form)));
  }

  @ParameterizedTest
  @MethodSource("paths")
  void everySumIsTheDefinitionsBitForBit(BlockAdder adder, Form form) {
    var random = new Random(form.name().hashCode());
    for (var data : Data.values()) {
      for (int columns : new int[] {16, 24, 64}) check(adder, form, data, columns, random);
    }
  }

  private static void check(BlockAdder adder, Form form, Data data, int columns, Random random) {
    boolean half = form.model.rounding().half();
    int depth = form.depth;
    var left = ExactDot.Format.of(form.left.text());
    var right = ExactDot.Format.of(form.right.text());
    var sums = half ? new ExactDot.Format(10, 5) : new ExactDot.Format(23, 8);
    var tile = new TensorTile(adder);
    int[][] a = draw(random, data, ROWS, depth, left);
    int[][] b = draw(random, data, columns, depth, right);
    int[][] c = draw(random, data, ROWS, columns, sums);
    for (int n = 0; data == Data.CANCELLING && n < columns; n++) {
      mirror(a[n % ROWS], b[n], right.fraction() + right.exponentBits());
    }
    fill(tile.left.words, a, form.left);
    fill(tile.right.words, b, form.right);
    for (int m = 0; m < ROWS; m++) {
      for (int n = 0; n < columns; n++) {
        tile.sums[m][n] = half ? Float.float16ToFloat((short) c[m][n]) : Float.intBitsToFloat(c[m][n]);
      }
    }
    tile.multiply(ROWS, columns, depth, form.left, form.right, form.model);
    for (int m = 0; m < ROWS; m++) {
      for (int n = 0; n < columns; n++) {
        int expected = form.definition.sum(c[m][n], a[m], left, b[n], right);
        float sum = tile.sums[m][n];
        int actual = !half ? Float.floatToRawIntBits(sum) : sum != sum ? 0x7FFF : Float.floatToFloat16(sum) & 0xFFFF;
        assertEquals(Integer.toHexString(expected), Integer.toHexString(actual), data + " " + m + "," + n);
      }
    }
  }

  private static int[][] draw(Random random, Data data, int rows, int width, ExactDot.Format format) {
    int[][] bits = new int[rows][width];
    for (var row : bits) {
      for (int i = 0; i < width; i++) row[i] = draw(random, data, format.fraction(), format.exponentBits());
    }
    return bits;
  }

  private static int draw(Random random, Data data, int fraction, int exponentBits) {
    int top = (1 << exponentBits) - 1;
    int bias = top >> 1;
    int field = switch (data) {
      case RAW -> random.nextInt(top + 1);
      case ORDINARY, CANCELLING -> Math.clamp(bias + 2 - random.nextInt(10), 0, top);
      case TINY -> random.nextInt(Math.min(4, top));
      case HUGE -> Math.max(0, top - 1 - random.nextInt(4));
      case MIXED -> random.nextInt(4) == 0 ? random.nextInt(top) : Math.max(0, bias - random.nextInt(4));
    };
    if (data != Data.RAW && random.nextInt(12) == 0) return random.nextInt(2) << fraction + exponentBits;
    // Raw bits with one infinity or NaN for every few sums, so that they do not swallow all.
    if (data == Data.RAW && field == top && random.nextInt(4) != 0) field--;
    return random.nextInt(1 << fraction) | field << fraction | random.nextInt(2) << fraction + exponentBits;
  }

  /** Makes neighbouring products cancel all but a little. */
  private static void mirror(int[] a, int[] b, int sign) {
    for (int k = 0; k + 1 < a.length; k += 2) {
      a[k + 1] = a[k];
      b[k + 1] = (b[k] ^ 1 << sign) + k % 4 / 2;
    }
  }

  private static void fill(int[][] words, int[][] bits, MmaType type) {
    for (int i = 0; i < bits.length; i++) {
      for (int k = 0; k < bits[i].length; k++) {
        // Tf32 comes as an FP32 number.
        words[k][i] = Factors.word(type == MmaType.TF32 ? bits[i][k] << 13 : bits[i][k], type);
      }
    }
  }

  @Test
  void theIncubatorModuleIsUsedWhereItIsThere() {
    assertInstanceOf(VectorBlockAdder.class, BlockAdder.fastest());
  }
}
