package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Random;
import java.util.function.DoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directed rounding by its definition: the nearest number on the right side of the exact result. */
class DirectedRoundingTest {
  private static final int N = 1500;
  private static final double[] EDGES = {0.0, -0.0, 1, -1, 3, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MAX_VALUE,
      -Double.MAX_VALUE, Double.MIN_NORMAL, 0x1p-600, 1 + 0x1p-52};

  private static long[] doubles(int seed) {
    var random = new Random(seed);
    return LongStream.range(0, N).map(_ -> switch (random.nextInt(4)) {
      case 0 -> Double.doubleToRawLongBits(EDGES[random.nextInt(EDGES.length)]);
      case 1 -> Double.doubleToRawLongBits(random.nextInt(-9, 9));
      case 2 -> random.nextLong() & ~(1L << 62);
      default -> Double.doubleToRawLongBits(random.nextGaussian());
    }).toArray();
  }

  /** The sign of a candidate result minus the exact one, by an equation that the exact one solves. */
  private static DoubleFunction<Integer> compare(String operation, double a, double b, double c) {
    var x = new BigDecimal(a);
    var y = new BigDecimal(b);
    return r -> {
      if (Double.isInfinite(r)) return r > 0 ? 1 : -1;
      var candidate = new BigDecimal(r);
      return switch (operation) {
        case "add" -> candidate.compareTo(x.add(y));
        case "sub" -> candidate.compareTo(x.subtract(y));
        case "mul" -> candidate.compareTo(x.multiply(y));
        case "fma" -> candidate.compareTo(x.multiply(y).add(new BigDecimal(c)));
        case "div" -> candidate.multiply(y).compareTo(x) * y.signum();
        case "rcp" -> candidate.multiply(x).compareTo(BigDecimal.ONE) * x.signum();
        default -> r < 0 ? -1 : candidate.multiply(candidate).compareTo(x);
      };
    };
  }

  private static void check(String mode, DoubleFunction<Integer> compare, double r, double below, double above,
      String what) {
    int side = compare.apply(r);
    boolean down = mode.equals("rm") || mode.equals("rz") && (r > 0 || r == 0 && side < 0);
    if (mode.equals("rz") && r == 0) {
      assertTrue(compare.apply(above) > 0 && compare.apply(below) < 0, what);
    } else if (down) {
      assertTrue(side <= 0 && (r == above || compare.apply(above) > 0), what);
    } else {
      assertTrue(side >= 0 && (r == below || compare.apply(below) < 0), what);
    }
  }

  private static boolean defined(String operation, double a, double b) {
    return switch (operation) {
      case "div" -> b != 0;
      case "rcp" -> a != 0;
      case "sqrt" -> a >= 0;
      default -> true;
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"})
  void doubles(String operation) {
    long[] a = doubles(1);
    long[] b = doubles(2);
    long[] c = doubles(3);
    for (var mode : new String[] {"rz", "rm", "rp"}) {
      int operands = operation.equals("fma") ? 3 : operation.equals("rcp") || operation.equals("sqrt") ? 1 : 2;
      long[] got = Instructions.on64(operation + "." + mode + ".f64", a, b, c, operands);
      for (int i = 0; i < N; i++) {
        double x = Double.longBitsToDouble(a[i]);
        double y = Double.longBitsToDouble(b[i]);
        double z = Double.longBitsToDouble(c[i]);
        if (!defined(operation, x, y)) continue;
        double r = Double.longBitsToDouble(got[i]);
        check(mode, compare(operation, x, y, z), r, Math.nextDown(r), Math.nextUp(r),
            mode + " of " + x + ", " + y + ", " + z + " is " + r);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"div", "rcp", "sqrt"})
  void singles(String operation) {
    var random = new Random(4);
    int[] a = random.ints(N).map(v -> v & ~(1 << 30) ^ (v & 1) << 29).toArray();
    int[] b = random.ints(N).map(v -> v & ~(1 << 30)).toArray();
    for (var mode : new String[] {"rz", "rm", "rp"}) {
      int[] got = Instructions.on32(operation + "." + mode + ".f32", a, b, b, operation.equals("div") ? 2 : 1);
      for (int i = 0; i < N; i++) {
        float x = Float.intBitsToFloat(a[i]);
        float y = Float.intBitsToFloat(b[i]);
        if (!defined(operation, x, y)) continue;
        float r = Float.intBitsToFloat(got[i]);
        check(mode, compare(operation, x, y, 0), r, Math.nextDown(r), Math.nextUp(r),
            mode + " of " + x + ", " + y + " is " + r);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rn", "rz", "rm", "rp"})
  void exactSumsOfZeroAreNegativeOnlyWhenRoundedDown(String mode) {
    long[] a = {bits(1.5), bits(-1.5), bits(0.0), bits(-0.0), bits(-0.0), bits(0.0)};
    long[] b = {bits(-1.5), bits(1.5), bits(-0.0), bits(0.0), bits(-0.0), bits(0.0)};
    double down = mode.equals("rm") ? -0.0 : 0.0;
    double[] want = {down, down, down, down, -0.0, 0.0};
    long[] sum = Instructions.on64("add." + mode + ".f64", a, b, b, 2);
    long[] fused = Instructions.on64("fma." + mode + ".f64 %l3, 0d3FF0000000000000, %l0, %l1; //", a, b, b, 0);
    for (int i = 0; i < a.length; i++) {
      assertEquals(want[i], Double.longBitsToDouble(sum[i]));
      assertEquals(want[i], Double.longBitsToDouble(fused[i]));
    }
  }

  private static long bits(double a) {
    return Double.doubleToRawLongBits(a);
  }
}
