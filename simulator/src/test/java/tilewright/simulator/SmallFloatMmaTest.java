package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.simulator.tensorcore.ExactDot;
import tilewright.simulator.tensorcore.NumberFormat;

/**
 * {@code mma.sync} of eight-bit floats: by tensor cores of its own on sm_89 and sm_120, by those for halves in between.
 */
class SmallFloatMmaTest {
  private static final ExactDot.Format HALF = new ExactDot.Format(10, 5);

  @ParameterizedTest
  @CsvSource({"e4m3,e4m3,f32,32,90", "e5m2,e4m3,f32,32,100", "e4m3,e5m2,f16,32,90", "e5m2,e5m2,f32,16,90",
      "e4m3,e4m3,f16,16,100", "e4m3,e5m2,f32,32,89", "e5m2,e4m3,f16,32,89", "e5m2,e4m3,f32,16,89",
      "e4m3,e5m2,f32,32,120", "e5m2,e5m2,f16,32,120", "e4m3,e4m3,f32,16,120"})
  void sumsAreTheDefinitionsBitForBit(String left, String right, String sum, int depth, int architecture) {
    var random = new Random(depth + architecture + left.hashCode());
    boolean half = sum.equals("f16");
    int sums = half ? 2 : 4;
    for (int round = 0; round < 20; round++) {
      int spread = round;
      int[] a = IntStream.range(0, 4 * depth).map(_ -> draw(random, spread)).toArray();
      int[] b = IntStream.range(0, 2 * depth).map(_ -> draw(random, spread)).toArray();
      int[] c = random.ints(32L * sums).toArray();
      if (round % 2 == 0) for (int i = 0; i < c.length; i++) c[i] = near(random, half);
      int[] d = TensorCoresTest.execute("mma.sync.aligned.m16n8k" + depth + ".row.col." + sum + "." + left + "." + right
          + "." + sum, depth / 8, depth / 16, sums, a, b, c, Kernels.PLAIN.withArchitecture(architecture));
      for (int m = 0; m < 16; m++) {
        for (int n = 0; n < 8; n++) {
          int[] row = line(a, depth / 8, m, depth);
          int[] column = line(b, depth / 16, n, depth);
          int at = (m % 8 * 4 + n / 2) * 4 + m / 8 * 2 + n % 2;
          int old = half ? c[at / 2] >>> at % 2 * 16 & 0xFFFF : c[at];
          int expected = architecture > 89 && architecture < 120 ? emulated(left, right, half, old, row, column)
              : (architecture == 89 ? ofAda(half) : ofBlackwell(half)).sum(old, row, ExactDot.Format.of(left), column,
                  ExactDot.Format.of(right));
          int got = half ? d[at / 2] >>> at % 2 * 16 & 0xFFFF : d[at];
          assertEquals(Integer.toHexString(expected), Integer.toHexString(got), m + "," + n);
        }
      }
    }
  }

  private static int near(Random random, boolean half) {
    float x = random.nextFloat(-8, 8);
    return half ? Float.floatToFloat16(x) & 0xFFFF | Float.floatToFloat16(-x) << 16 : Float.floatToRawIntBits(x);
  }

  /** Four elements; the more the round, the wider they are spread. */
  private static int draw(Random random, int spread) {
    return random.nextInt() & (spread > 14 ? -1 : spread > 8 ? 0xBFBFBFBF : 0x9F9F9F9F);
  }

  /** A row of A (sixteen of them) or a column of B (eight). */
  private static int[] line(int[] fragment, int registers, int line, int depth) {
    return IntStream.range(0, depth).map(k -> {
      boolean tall = registers == depth / 8;
      int register = tall ? k / 16 * 2 + line / 8 : k / 16;
      return fragment[(line % 8 * 4 + k % 16 / 4) * registers + register] >>> k % 4 * 8 & 0xFF;
    }).toArray();
  }

  private static ExactDot ofAda(boolean half) {
    return new ExactDot(13, 16, half ? -20 : -132, half ? 10 : 13);
  }

  /** That of tcgen05, which consumer GPUs are taken to share. */
  private static ExactDot ofBlackwell(boolean half) {
    return new ExactDot(25, 32, -133, half ? 10 : 23);
  }

  /** The products of steps 0 and 1 of every four, then with them those of steps 2 and 3, then C by an addition. */
  private static int emulated(String left, String right, boolean half, int c, int[] a, int[] b) {
    var definition = new ExactDot(25, 16, half ? -21 : -133, half ? 10 : 23);
    int sum = 0;
    for (int part = 0; part < 2; part++) {
      sum = definition.sum(sum, halves(a, left, part), HALF, halves(b, right, part), HALF);
    }
    if (!half) {
      float total = Float.intBitsToFloat(c) + Float.intBitsToFloat(sum);
      return total != total ? 0x7FFF_FFFF : Float.floatToRawIntBits(total);
    }
    // Exact in f32, so rounded once.
    float total = Float.float16ToFloat((short) c) + Float.float16ToFloat((short) sum);
    return total != total ? 0x7FFF : Float.floatToFloat16(total) & 0xFFFF;
  }

  private static int[] halves(int[] elements, String type, int part) {
    var format = NumberFormat.valueOf(type.toUpperCase(java.util.Locale.ROOT));
    return IntStream.range(0, elements.length).filter(k -> k % 4 / 2 == part)
        .map(k -> {
          float value = format.decode(elements[k]);
          return value != value ? 0x7FFF : Float.floatToFloat16(value) & 0xFFFF;
        }).toArray();
  }
}
