package tilewright.simulator.arithmetic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares with the definition of directed rounding in exact arithmetic. */
class DirectedMathTest {
  private static final long SEED = 20261127;
  private static final int TRIALS = 20_000;
  private static final List<Double> SPECIAL = List.of(0.0, -0.0, 1.0, -1.0, Double.MIN_VALUE, -Double.MIN_VALUE,
      Double.MIN_NORMAL, Double.MAX_VALUE, -Double.MAX_VALUE, 0x1p-900, 0x1p900, 0x1.fffffffffffffp-901, 0x1p-537,
      0x1.0000000000001p0, 0x1.fffffffffffffp0, 0x1p1023, 0x1p-53, 0x1p53);

  private final Random random = new Random(SEED);

  /** Any finite number; often one near 1, sometimes a special one. */
  private double number() {
    return switch (random.nextInt(4)) {
      case 0 -> SPECIAL.get(random.nextInt(SPECIAL.size()));
      case 1 -> {
        double any = Double.longBitsToDouble(random.nextLong());
        yield Double.isFinite(any) ? any : 1.5;
      }
      case 2 -> random.nextInt(-8, 9) * 0x1p-3;
      default -> (random.nextDouble() - 0.5) * Math.scalb(1.0, random.nextInt(-60, 60));
    };
  }

  /** @param side compares a number with the exact result: negative if it is smaller */
  private void check(String what, double result, int mode, Side side) {
    var message = what + " = " + result + ", mode " + mode + ", seed " + SEED;
    switch (mode) {
      case Conversions.DOWN -> assertTrue(result == Double.NEGATIVE_INFINITY || side.of(result) <= 0
          && (result == Double.MAX_VALUE || side.of(Math.nextUp(result)) > 0), message);
      case Conversions.UP -> assertTrue(result == Double.POSITIVE_INFINITY || side.of(result) >= 0
          && (result == -Double.MAX_VALUE || side.of(Math.nextDown(result)) < 0), message);
      default -> {
        int toZero = result == 0 ? side.of(0) : side.of(result) * (result > 0 ? 1 : -1);
        boolean within = result == 0 || toZero <= 0;
        double next = result > 0 || result == 0 && side.of(0) < 0 ? Math.nextUp(result) : Math.nextDown(result);
        boolean tight = side.of(result) == 0 || Double.isInfinite(next) || Math.abs(result) == Double.MAX_VALUE
            || (side.of(next) > 0) == (next > 0) && side.of(next) != 0;
        assertTrue(within && tight, message);
      }
    }
  }

  private interface Side {
    int of(double result);
  }

  private static BigDecimal exact(double a) {
    return new BigDecimal(a);
  }

  @Test
  void sumsProductsAndQuotientsLieOnTheRightSideOfTheExactOnes() {
    for (int i = 0; i < TRIALS; i++) {
      double a = number();
      double b = i % 8 == 0 ? -a * (1 + random.nextInt(-2, 3) * 0x1p-52) : number();
      double c = i % 16 == 1 ? -a * b : number();
      if (!Double.isFinite(b) || !Double.isFinite(c)) continue;
      for (int mode : new int[] {Conversions.DOWN, Conversions.UP, Conversions.ZERO}) {
        var sum = exact(a).add(exact(b));
        check(a + " + " + b, DirectedMath.add(a, b, mode), mode, r -> exact(r).compareTo(sum));
        var product = exact(a).multiply(exact(b));
        check(a + " * " + b, DirectedMath.mul(a, b, mode), mode, r -> exact(r).compareTo(product));
        var fused = product.add(exact(c));
        check(a + " * " + b + " + " + c, DirectedMath.fma(a, b, c, mode), mode, r -> exact(r).compareTo(fused));
        if (b != 0) {
          check(a + " / " + b, DirectedMath.div(a, b, mode), mode,
              r -> exact(r).multiply(exact(b)).compareTo(exact(a)) * (b > 0 ? 1 : -1));
        }
        if (a > 0) {
          check("root of " + a, DirectedMath.sqrt(a, mode), mode,
              r -> r < 0 ? -1 : exact(r).multiply(exact(r)).compareTo(exact(a)));
        }
      }
    }
  }

  @Test
  void sumsOfZeroHaveTheSignOfTheMode() {
    assertEquals(-0.0, DirectedMath.add(1.5, -1.5, Conversions.DOWN));
    assertEquals(0.0, DirectedMath.add(1.5, -1.5, Conversions.UP));
    assertEquals(-0.0, DirectedMath.fma(3, 0.5, -1.5, Conversions.DOWN));
    assertEquals(Double.MAX_VALUE, DirectedMath.mul(Double.MAX_VALUE, 2, Conversions.ZERO));
    assertEquals(Double.MIN_VALUE, DirectedMath.mul(Double.MIN_VALUE, 0.25, Conversions.UP));
  }
}
