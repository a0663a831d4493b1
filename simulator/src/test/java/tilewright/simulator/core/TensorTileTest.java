package tilewright.simulator.core;

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
  private static final int DEPTH = 16;

  /** How bits are drawn: all of them, or with exponents that keep the sums on the fast paths or off them. */
  private enum Data { RAW, ORDINARY, CANCELLING, TINY, HUGE, MIXED }

  static Stream<Arguments> paths() {
    return Stream.of(new PlainBlockAdder(), new VectorBlockAdder()).flatMap(adder ->
        Stream.of(80, 90).flatMap(architecture -> Stream.of("f16", "bf16", "tf32", "f16 to f16")
            .map(type -> Arguments.of(adder, architecture, type))));
  }

  @ParameterizedTest
  @MethodSource("paths")
  void everySumIsTheDefinitionsBitForBit(BlockAdder adder, int architecture, String types) {
    var random = new Random(types.hashCode() + architecture);
    for (var data : Data.values()) {
      for (int columns : new int[] {16, 24, 64}) check(adder, architecture, types, data, columns, random);
    }
  }

  private static void check(BlockAdder adder, int architecture, String types, Data data, int columns, Random random) {
    boolean half = types.endsWith("to f16");
    var type = MmaType.parse(types.split(" ")[0]).orElseThrow();
    int fraction = type == MmaType.BF16 ? 7 : 10;
    int exponentBits = type == MmaType.F16 ? 5 : 8;
    int depth = type == MmaType.TF32 ? 8 : DEPTH;
    var tile = new TensorTile(TensorModel.of(architecture), adder);
    int[][] a = draw(random, data, TensorTile.HEIGHT, depth, fraction, exponentBits);
    int[][] b = draw(random, data, columns, depth, fraction, exponentBits);
    int[][] c = draw(random, data, TensorTile.HEIGHT, columns, half ? 10 : 23, half ? 5 : 8);
    for (int n = 0; data == Data.CANCELLING && n < columns; n++) mirror(a[n % a.length], b[n], fraction + exponentBits);
    fill(tile.left.words, a, type);
    fill(tile.right.words, b, type);
    for (int m = 0; m < c.length; m++) {
      for (int n = 0; n < columns; n++) {
        tile.sums[m][n] = half ? Conversions.fromF16(c[m][n]) : Float.intBitsToFloat(c[m][n]);
      }
    }
    tile.multiply(TensorTile.HEIGHT, columns, depth, type, half);
    boolean hopper = architecture >= 90;
    int block = (hopper ? 16 : 8) / (type == MmaType.TF32 ? 2 : 1);
    var definition = new ExactDot(hopper ? 25 : 24, block, half ? hopper ? -22 : -21 : hopper ? -133 : -132, half);
    for (int m = 0; m < c.length; m++) {
      for (int n = 0; n < columns; n++) {
        int expected = definition.sum(c[m][n], a[m], b[n], fraction, exponentBits);
        int actual = half ? Conversions.toF16(tile.sums[m][n]) : Float.floatToRawIntBits(tile.sums[m][n]);
        assertEquals(Integer.toHexString(expected), Integer.toHexString(actual), data + " " + m + "," + n);
      }
    }
  }

  private static int[][] draw(Random random, Data data, int rows, int width, int fraction, int exponentBits) {
    int[][] bits = new int[rows][width];
    for (var row : bits) {
      for (int i = 0; i < width; i++) row[i] = draw(random, data, fraction, exponentBits);
    }
    return bits;
  }

  private static int draw(Random random, Data data, int fraction, int exponentBits) {
    int top = (1 << exponentBits) - 1;
    int bias = top >> 1;
    int field = switch (data) {
      case RAW -> random.nextInt(top + 1);
      case ORDINARY, CANCELLING -> bias + 2 - random.nextInt(10);
      case TINY -> random.nextInt(4);
      case HUGE -> top - 1 - random.nextInt(4);
      case MIXED -> random.nextInt(4) == 0 ? random.nextInt(top) : bias - random.nextInt(4);
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
        // Tf32 comes as a single.
        words[k][i] = Factors.word(type == MmaType.TF32 ? bits[i][k] << 13 : bits[i][k], type);
      }
    }
  }

  @Test
  void theIncubatorModuleIsUsedWhereItIsThere() {
    assertInstanceOf(VectorBlockAdder.class, BlockAdder.fastest());
  }
}
