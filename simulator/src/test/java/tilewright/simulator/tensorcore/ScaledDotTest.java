package tilewright.simulator.tensorcore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.simulator.Fp4Model;

/** Block-scaled sums against their definitions, over all exponents that scales can have. */
class ScaledDotTest {
  private static final int CASES = 20_000;

  private static float accumulator(Random random, int about) {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> Float.intBitsToFloat(random.nextInt() & 0x807F_FFFF);
      default -> {
        float c = (float) Math.scalb(random.nextGaussian(), about + random.nextInt(50) - 25);
        yield Float.isFinite(c) ? c : Float.MAX_VALUE;
      }
    };
  }

  @ParameterizedTest
  @CsvSource({"SF_TENSOR, E4M3, E5M2", "MMA_SIM, E5M2, E5M2", "SF_TENSOR, E2M3, E3M2", "MMA_SIM, E2M1, E4M3"})
  void bytes(Fp4Model model, MmaType left, MmaType right) {
    var random = new Random(left.ordinal() * 16 + right.ordinal());
    var dot = new ScaledDot(model == Fp4Model.MMA_SIM);
    for (int i = 0; i < CASES; i++) {
      var a = factor(left, random);
      var b = factor(right, random);
      int scale = random.nextInt(3) == 0 ? random.nextInt(509) - 254 : random.nextInt(120) - 60;
      float c = accumulator(random, scale);
      float expected = ExactScaledDot.bytes(model, c, a.values(), a.exponents(), b.values(), b.exponents(), scale);
      assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(dot.add(c, a, b, 32, scale)),
          "case " + i + " c " + c + " scale " + scale);
    }
  }

  private static ScaledDot.Factor factor(MmaType type, Random random) {
    var factor = new ScaledDot.Factor(32);
    boolean sparse = random.nextInt(8) == 0;
    for (int k = 0; k < 32; k++) {
      int bits;
      do {
        bits = sparse && random.nextInt(20) != 0 ? 0 : random.nextInt(1 << type.bits());
      } while (!Float.isFinite(type.format().decode(bits)));
      factor.set(k, bits, type, false);
    }
    return factor;
  }

  @Test
  void specialsOfBytes() {
    var dot = new ScaledDot(false);
    var a = new ScaledDot.Factor(32);
    var b = new ScaledDot.Factor(32);
    assertEquals(-0f, dot.add(-0f, a, b, 32, 5));
    a.set(0, 0x7C, MmaType.E5M2, false);
    b.set(0, 0x3C, MmaType.E5M2, true);
    assertEquals(Float.NEGATIVE_INFINITY, dot.add(1, a, b, 32, 5));
    assertEquals(0x7FFF_FFFF, Float.floatToRawIntBits(dot.add(Float.POSITIVE_INFINITY, a, b, 32, 5)));
    b.set(0, 0, MmaType.E5M2, false);
    assertEquals(0x7FFF_FFFF, Float.floatToRawIntBits(dot.add(1, a, b, 32, 5)));
  }

  private static double value(int bits) {
    double[] magnitudes = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return (bits & 8) != 0 ? -magnitudes[bits & 7] : magnitudes[bits & 7];
  }

  private static int exponent(int bits) {
    return Math.max(0, (bits >> 1 & 3) - 1);
  }

  @ParameterizedTest
  @CsvSource({"SF_TENSOR, UE8M0", "SF_TENSOR, UE4M3", "MMA_SIM, UE8M0", "MMA_SIM, UE4M3"})
  void nibbles(Fp4Model model, ScaleFormat format) {
    var random = new Random(format.ordinal());
    var dot = new Fp4Dot(model, format);
    for (int i = 0; i < CASES; i++) {
      var a = new Fp4Dot.Factor();
      var b = new Fp4Dot.Factor();
      int[] aScales = new int[4];
      int[] bScales = new int[4];
      var groups = new ArrayList<ExactScaledDot.Group>();
      boolean sparse = random.nextInt(4) == 0;
      int about = 1 + random.nextInt(253);
      for (int g = 0; g < 4; g++) {
        var products = new double[16];
        var exponents = new int[16];
        for (int k = 0; k < 16; k++) {
          int x = sparse && random.nextInt(20) != 0 ? 0 : random.nextInt(16);
          int y = random.nextInt(16);
          a.set(16 * g + k, x, false);
          b.set(16 * g + k, y ^ 8, true);
          products[k] = value(x) * value(y);
          exponents[k] = exponent(x) + exponent(y);
        }
        aScales[g] = scale(format, random, about);
        bScales[g] = scale(format, random, 127);
        groups.add(new ExactScaledDot.Group(products, exponents, scaleValue(format, aScales[g]),
            scaleValue(format, bScales[g]), scaleExponent(format, aScales[g]) + scaleExponent(format, bScales[g])));
      }
      float c = accumulator(random, groups.getFirst().scaleExponent() + 3);
      float expected = ExactScaledDot.nibbles(model, format == ScaleFormat.UE4M3, c, groups);
      assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(dot.add(c, a, b, aScales, bScales)),
          model + " " + format + " case " + i + " c " + c);
    }
  }

  private static int scale(ScaleFormat format, Random random, int about) {
    if (format == ScaleFormat.UE4M3) return random.nextInt(0x7F);
    return Math.clamp(about + random.nextInt(30) - 15, 0, 254);
  }

  private static int scaleExponent(ScaleFormat format, int bits) {
    return format == ScaleFormat.UE4M3 ? Math.max(1, bits >> 3) - 7 : bits - 127;
  }

  private static double scaleValue(ScaleFormat format, int bits) {
    if (format == ScaleFormat.UE8M0) return Math.scalb(1.0, bits - 127);
    return Math.scalb(bits < 8 ? bits : 8.0 + bits % 8, scaleExponent(format, bits) - 3);
  }

  @ParameterizedTest
  @EnumSource(Fp4Model.class)
  void specialsOfNibbles(Fp4Model model) {
    var zeros = new Fp4Dot.Factor();
    int[] ones = {127, 127, 127, 127};
    var dot = new Fp4Dot(model, ScaleFormat.UE8M0);
    assertEquals(Float.POSITIVE_INFINITY, dot.add(Float.POSITIVE_INFINITY, zeros, zeros, ones, ones));
    assertEquals(0x7FFF_FFFF, Float.floatToRawIntBits(dot.add(Float.NaN, zeros, zeros, ones, ones)));
    assertEquals(0x7FFF_FFFF,
        Float.floatToRawIntBits(dot.add(1, zeros, zeros, new int[] {127, 127, 255, 127}, ones)));
    assertEquals(model == Fp4Model.SF_TENSOR ? 1 << 31 : 0,
        Float.floatToRawIntBits(dot.add(-0f, zeros, zeros, ones, ones)));
  }
}
