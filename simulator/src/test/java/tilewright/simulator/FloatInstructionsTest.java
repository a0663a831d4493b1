package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Floating-point instructions against exact decimals, rounded by searching the format's own values. */
class FloatInstructionsTest {
  private static final int N = 2000;

  private static int[] floats(long seed) {
    var random = new Random(seed);
    return random.ints(N).map(v -> switch (random.nextInt(4)) {
      case 0 -> Float.floatToRawIntBits((float) random.nextGaussian());
      case 1 -> Float.floatToRawIntBits(random.nextInt(-4, 5));
      default -> v;
    }).map(v -> (v >>> 23 & 0xFF) == 0xFF ? 0 : v).toArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"add", "sub", "mul"})
  void singlePrecisionRoundsOnce(String operation) {
    int[] a = floats(1);
    int[] b = floats(2);
    int[] got = Instructions.on32(operation + ".rn.f32", a, b, b, 2);
    for (int i = 0; i < N; i++) {
      var x = new BigDecimal(Float.intBitsToFloat(a[i]));
      var y = new BigDecimal(Float.intBitsToFloat(b[i]));
      var exact = switch (operation) {
        case "add" -> x.add(y);
        case "sub" -> x.subtract(y);
        default -> x.multiply(y);
      };
      assertEquals(exact.floatValue() + 0f, Float.intBitsToFloat(got[i]) + 0f, operation + " " + x + " " + y);
    }
  }

  @Test
  void fusedMultiplyAddRoundsOnce() {
    int[] a = floats(3);
    int[] b = floats(4);
    int[] c = floats(5);
    for (int i = 0; i < N; i += 2) {
      c[i] = Float.floatToRawIntBits(-Float.intBitsToFloat(a[i]) * Float.intBitsToFloat(b[i]));
    }
    for (int i = 0; i < N; i++) if ((c[i] >>> 23 & 0xFF) == 0xFF) c[i] = 0;
    int[] got = Instructions.on32("fma.rn.f32", a, b, c, 3);
    for (int i = 0; i < N; i++) {
      var exact = new BigDecimal(Float.intBitsToFloat(a[i])).multiply(new BigDecimal(Float.intBitsToFloat(b[i])))
          .add(new BigDecimal(Float.intBitsToFloat(c[i])));
      assertEquals(exact.floatValue() + 0f, Float.intBitsToFloat(got[i]) + 0f, "case " + i);
    }
  }

  @Test
  void divisionReciprocalAndRootAreCorrectlyRounded() {
    int[] a = floats(6);
    int[] b = floats(7);
    for (int i = 0; i < N; i++) if ((b[i] & 0x7FFF_FFFF) == 0) b[i] = Float.floatToRawIntBits(3);
    int[] quotient = Instructions.on32("div.rn.f32", a, b, b, 2);
    int[] reciprocal = Instructions.on32("rcp.rn.f32", b, b, b, 1);
    int[] root = Instructions.body32("abs.f32 %r2, %r0;\nsqrt.rn.f32 %r3, %r2;\n", a, b);
    var digits = new MathContext(60, RoundingMode.HALF_EVEN);
    for (int i = 0; i < N; i++) {
      var y = new BigDecimal(Float.intBitsToFloat(b[i]));
      assertEquals(new BigDecimal(Float.intBitsToFloat(a[i])).divide(y, digits).floatValue() + 0f,
          Float.intBitsToFloat(quotient[i]) + 0f);
      assertEquals(BigDecimal.ONE.divide(y, digits).floatValue(), Float.intBitsToFloat(reciprocal[i]));
      assertEquals(new BigDecimal(Math.abs(Float.intBitsToFloat(a[i]))).sqrt(digits).floatValue(),
          Float.intBitsToFloat(root[i]));
    }
  }

  @Test
  void flushingTurnsSubnormalsIntoZerosOfTheirSign() {
    int tiny = Float.floatToRawIntBits(-0x1p-140f);
    int one = Float.floatToRawIntBits(1);
    assertEquals(0x8000_0000, Instructions.on32("mul.ftz.f32", new int[] {tiny}, new int[] {one}, new int[1], 2)[0]);
    assertEquals(tiny, Instructions.on32("mul.f32", new int[] {tiny}, new int[] {one}, new int[1], 2)[0]);
  }

  /** 24 bits decide, as on an H200, though the f32 nearest to 2⁻¹²⁶ · (1 - 2⁻²⁴) is 2⁻¹²⁶. */
  @Test
  void flushingLooksAtResultsOfTwentyFourBits() {
    int[] a = {0x0080_0000, 0x0080_0001, 0x8080_0000};
    int[] b = {0x3F7F_FFFF, 0x3F7F_FFFE, 0x3F7F_FFFF};
    int[] want = {0, 0x0080_0000, 0x8000_0000};
    assertArrayEquals(want, Instructions.on32("mul.ftz.f32", a, b, a, 2));
    assertArrayEquals(want, Instructions.on32("fma.rn.ftz.f32", a, b, new int[] {0, 0, 0x8000_0000}, 3));
    assertArrayEquals(new int[] {0x0080_0000, 0x0080_0000, 0x8080_0000}, Instructions.on32("mul.f32", a, b, a, 2));
  }

  @Test
  void saturationClampsToTheUnitIntervalAndMapsNanToZero() {
    int[] a = {Float.floatToRawIntBits(3), Float.floatToRawIntBits(-3), 0x7FC0_0000, Float.floatToRawIntBits(0.25f)};
    int[] got = Instructions.on32("add.sat.f32", a, new int[4], new int[4], 2);
    assertEquals(1f, Float.intBitsToFloat(got[0]));
    assertEquals(0, got[1]);
    assertEquals(0, got[2]);
    assertEquals(0.25f, Float.intBitsToFloat(got[3]));
  }

  @Test
  void minimumAndMaximumPreferNumbersAndOrderZeros() {
    int nan = 0x7FC0_1234;
    int minusZero = 0x8000_0000;
    int[] a = {nan, Float.floatToRawIntBits(2), 0, minusZero, nan};
    int[] b = {Float.floatToRawIntBits(5), nan, minusZero, 0, nan};
    int[] low = Instructions.on32("min.f32", a, b, b, 2);
    int[] high = Instructions.on32("max.f32", a, b, b, 2);
    assertEquals(b[0], low[0]);
    assertEquals(a[1], high[1]);
    assertEquals(minusZero, low[2]);
    assertEquals(minusZero, low[3]);
    assertEquals(0, high[2]);
    assertEquals(0x7FFF_FFFF, low[4]);
    assertEquals(0x7FFF_FFFF, Instructions.on32("min.NaN.f32", a, b, b, 2)[0]);
  }

  @ParameterizedTest
  @CsvSource({"eq,false", "ne,false", "lt,false", "ge,false", "equ,true", "neu,true", "ltu,true", "geu,true",
      "num,false", "nan,true"})
  void comparisonsWithNanAreOrderedOrUnordered(String operator, boolean withNan) {
    int[] got = Instructions.body32("setp." + operator + ".f32 %q0, %r0, %r1;\nselp.b32 %r3, 1, 0, %q0;\n",
        new int[] {0x7FC0_0000}, new int[] {Float.floatToRawIntBits(1)});
    assertEquals(withNan ? 1 : 0, got[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ex2.approx.ftz", "lg2.approx", "rcp.approx", "rsqrt.approx", "sqrt.approx", "sin.approx",
      "cos.approx", "tanh.approx"})
  void approximationsStayWithinTheirDocumentedError(String instruction) {
    var random = new Random(8);
    int[] a = random.ints(N).map(_ -> Float.floatToRawIntBits(random.nextFloat() * 3 + 0.01f)).toArray();
    int[] got = Instructions.on32(instruction + ".f32", a, a, a, 1);
    for (int i = 0; i < N; i++) {
      double x = Float.intBitsToFloat(a[i]);
      double want = switch (instruction.split("\\.")[0]) {
        case "ex2" -> Math.pow(2, x);
        case "lg2" -> Math.log(x) / Math.log(2);
        case "rcp" -> 1 / x;
        case "rsqrt" -> 1 / Math.sqrt(x);
        case "sqrt" -> Math.sqrt(x);
        case "sin" -> Math.sin(x);
        case "cos" -> Math.cos(x);
        default -> Math.tanh(x);
      };
      // PTX ISA: 2^-22 or better, relative or absolute; sin and cos 2^-20.5 within two turns; tanh 2^-11.
      boolean circular = instruction.startsWith("sin") || instruction.startsWith("cos");
      double bound = circular ? Math.pow(2, -20.5) : instruction.startsWith("tanh") ? 0x1p-11 * want
          : 0x1p-22 * Math.max(1, Math.abs(want));
      assertTrue(Math.abs(want - Float.intBitsToFloat(got[i])) <= bound, instruction
          + " " + x);
    }
  }

  /** The value of sixteen bits, by the definition of the formats. */
  private static BigDecimal value(int bits, int fraction, int bias) {
    int field = bits >>> fraction & (1 << 15 - fraction) - 1;
    long significand = bits & (1 << fraction) - 1 | (field == 0 ? 0 : 1 << fraction);
    int exponent = Math.max(field, 1) - bias - fraction;
    var magnitude = exponent >= 0 ? BigDecimal.valueOf(significand).multiply(BigDecimal.TWO.pow(exponent))
        : BigDecimal.valueOf(significand).divide(BigDecimal.TWO.pow(-exponent));
    return bits >= 0x8000 ? magnitude.negate() : magnitude;
  }

  /** The format's value nearest to an exact number, ties to even, by bisection over its positive values. */
  private static int nearest(BigDecimal exact, int fraction, int bias) {
    int infinity = (1 << 15 - fraction) - 1 << fraction;
    var magnitude = exact.abs();
    int low = 0;
    int high = infinity;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (value(middle, fraction, bias).compareTo(magnitude) <= 0) low = middle;
      else high = middle;
    }
    // The first value beyond the largest number stands for infinity.
    var below = value(low, fraction, bias);
    var above = high == infinity ? below.add(below.subtract(value(low - 1, fraction, bias)))
        : value(high, fraction, bias);
    int order = magnitude.subtract(below).compareTo(above.subtract(magnitude));
    int chosen = order < 0 || order == 0 && (low & 1) == 0 ? low : high;
    return (exact.signum() < 0 ? 0x8000 : 0) | chosen;
  }

  @ParameterizedTest
  @CsvSource({"f16,add", "f16,sub", "f16,mul", "f16,fma", "bf16,add", "bf16,sub", "bf16,mul", "bf16,fma"})
  void halfPrecisionRoundsOnceSinglyAndInPairs(String type, String operation) {
    int fraction = type.equals("f16") ? 10 : 7;
    int bias = type.equals("f16") ? 15 : 127;
    var random = new Random(9);
    int infinity = (1 << 15 - fraction) - 1;
    int[] a = random.ints(N).map(v -> finitePair(v, fraction, infinity)).toArray();
    int[] b = random.ints(N).map(v -> finitePair(v, fraction, infinity)).toArray();
    // Operands near a tie with something tiny far below it are what double rounding gets wrong.
    for (int i = 0; i < N; i += 4) b[i] = a[i] ^ random.nextInt() & 0x83FF_83FF;
    for (int i = 0; i < N; i++) b[i] = finitePair(b[i], fraction, infinity);
    boolean fused = operation.equals("fma");
    int[] got = fused ? Instructions.on32("fma.rn." + type + "x2", a, b, a, 3)
        : Instructions.on32(operation + ".rn." + type + "x2", a, b, a, 2);
    for (int i = 0; i < N; i++) {
      for (int half = 0; half < 32; half += 16) {
        var x = value(a[i] >>> half & 0xFFFF, fraction, bias);
        var y = value(b[i] >>> half & 0xFFFF, fraction, bias);
        var exact = switch (operation) {
          case "add" -> x.add(y);
          case "sub" -> x.subtract(y);
          case "mul" -> x.multiply(y);
          default -> x.multiply(y).add(x);
        };
        int result = got[i] >>> half & 0xFFFF;
        if (exact.signum() == 0) {
          assertEquals(0, result & 0x7FFF);
        } else {
          assertEquals(nearest(exact, fraction, bias), result, type + " " + operation + " " + x + " " + y);
        }
      }
    }
  }

  private static int finitePair(int pair, int fraction, int infinity) {
    int low = (pair >>> fraction & infinity) == infinity ? 0x3C00 : pair & 0xFFFF;
    int high = (pair >>> 16 + fraction & infinity) == infinity ? 0x3C00 : pair >>> 16;
    return high << 16 | low;
  }

  @Test
  void pairsOfSinglesAreIndependent() {
    long a = pack(1.5f, -2f);
    long b = pack(0.25f, 8f);
    assertEquals(pack(1.75f, 6f), Instructions.on64("add.rn.f32x2", new long[] {a}, new long[] {b}, new long[1], 2)[0]);
    assertEquals(pack(0.375f, -16f),
        Instructions.on64("mul.rn.f32x2", new long[] {a}, new long[] {b}, new long[1], 2)[0]);
    assertEquals(pack(1.875f, -18f),
        Instructions.on64("fma.rn.f32x2", new long[] {a}, new long[] {b}, new long[] {a}, 3)[0]);
  }

  private static long pack(float low, float high) {
    return Float.floatToRawIntBits(low) & 0xFFFF_FFFFL | (long) Float.floatToRawIntBits(high) << 32;
  }

  @Test
  void doublePrecisionRoundsOnce() {
    var random = new Random(10);
    long[] a = random.longs(N).map(_ -> Double.doubleToRawLongBits(random.nextGaussian())).toArray();
    long[] b = random.longs(N).map(_ -> Double.doubleToRawLongBits(random.nextGaussian() * 1e-9)).toArray();
    long[] got = Instructions.on64("fma.rn.f64", a, b, a, 3);
    for (int i = 0; i < N; i++) {
      var x = new BigDecimal(Double.longBitsToDouble(a[i]));
      assertEquals(x.multiply(new BigDecimal(Double.longBitsToDouble(b[i]))).add(x).doubleValue(),
          Double.longBitsToDouble(got[i]));
    }
  }

  @ParameterizedTest
  @CsvSource({"f16,rn", "f16,rz", "bf16,rn", "bf16,rz"})
  void conversionsToHalfPrecisionRoundAsNamed(String type, String mode) {
    int fraction = type.equals("f16") ? 10 : 7;
    int bias = type.equals("f16") ? 15 : 127;
    int[] a = floats(11);
    int[] got = Instructions.body32("cvt." + mode + "." + type + ".f32 %h0, %f0;\ncvt.u32.u16 %r3, %h0;\n"
        .replace("%f0", "%r0"), a, a);
    for (int i = 0; i < N; i++) {
      var exact = new BigDecimal(Float.intBitsToFloat(a[i]));
      int want = nearest(exact, fraction, bias);
      if (mode.equals("rz")) {
        int infinity = (1 << 15 - fraction) - 1 << fraction;
        while ((want & 0x7FFF) == infinity || value(want, fraction, bias).abs().compareTo(exact.abs()) > 0) want--;
        if (exact.signum() < 0) want |= 0x8000;
      }
      if (exact.signum() == 0) want = 0;
      assertEquals(want, exact.signum() == 0 ? got[i] & 0x7FFF : got[i], exact.toString());
    }
  }

  @Test
  void packingConversionsPutTheFirstOperandOnTop() {
    int one = Float.floatToRawIntBits(1);
    int two = Float.floatToRawIntBits(2);
    int[] got = Instructions.on32("cvt.rn.f16x2.f32", new int[] {one}, new int[] {two}, new int[1], 2);
    assertEquals(0x3C00_4000, got[0]);
    assertEquals(0x3F80_4000,
        Instructions.on32("cvt.rn.bf16x2.f32", new int[] {one}, new int[] {two}, new int[1], 2)[0]);
  }

  @ParameterizedTest
  @CsvSource({"rzi,s32", "rni,s32", "rmi,s32", "rpi,s32", "rzi,u32", "rni,u32", "rzi,s16", "rzi,u8"})
  void conversionsToIntegersRoundAndClamp(String mode, String type) {
    int[] a = floats(12);
    a[0] = 0x7FC0_0000;
    a[1] = Float.floatToRawIntBits(2.5f);
    a[2] = Float.floatToRawIntBits(-2.5f);
    int bits = Integer.parseInt(type.substring(1));
    boolean signed = type.startsWith("s");
    int[] got = Instructions.body32("cvt." + mode + "." + type + ".f32 %r3, %r0;\n", a, a);
    var rounding = switch (mode) {
      case "rzi" -> RoundingMode.DOWN;
      case "rni" -> RoundingMode.HALF_EVEN;
      case "rmi" -> RoundingMode.FLOOR;
      default -> RoundingMode.CEILING;
    };
    var least = signed ? BigDecimal.TWO.pow(bits - 1).negate() : BigDecimal.ZERO;
    var most = BigDecimal.TWO.pow(signed ? bits - 1 : bits).subtract(BigDecimal.ONE);
    for (int i = 0; i < N; i++) {
      float x = Float.intBitsToFloat(a[i]);
      var want = Float.isNaN(x) ? BigDecimal.ZERO : new BigDecimal(x).setScale(0, rounding).max(least).min(most);
      assertEquals(want.intValue(), got[i], "cvt of " + x);
    }
  }

  @Test
  void conversionsFromIntegersRoundOnce() {
    int[] a = new Random(13).ints(N).toArray();
    int[] signed = Instructions.on32("cvt.rn.f32.s32", a, a, a, 1);
    int[] unsigned = Instructions.on32("cvt.rn.f32.u32", a, a, a, 1);
    int[] down = Instructions.on32("cvt.rz.f32.u32", a, a, a, 1);
    int[] wide = Instructions.body32("mov.b64 %l0, {%r0, %r1};\ncvt.rn.f32.u64 %r3, %l0;\n", a, a);
    for (int i = 0; i < N; i++) {
      var exact = new BigDecimal(Integer.toUnsignedLong(a[i]));
      assertEquals(new BigDecimal(a[i]).floatValue(), Float.intBitsToFloat(signed[i]));
      assertEquals(exact.floatValue(), Float.intBitsToFloat(unsigned[i]));
      float truncated = exact.floatValue();
      if (new BigDecimal(truncated).compareTo(exact) > 0) truncated = Math.nextDown(truncated);
      assertEquals(truncated, Float.intBitsToFloat(down[i]));
      var both = exact.multiply(BigDecimal.TWO.pow(32)).add(exact);
      assertEquals(both.floatValue(), Float.intBitsToFloat(wide[i]));
    }
  }

  @Test
  void narrowIntegerConversionsExtendTruncateAndSaturate() {
    int[] a = {0x1_80, -1, 0x7FFF_FFFF, 200};
    assertEquals(-128, Instructions.body32("cvt.s32.s8 %r3, %r0;\n", a, a)[0]);
    assertEquals(0x80, Instructions.body32("cvt.u32.u8 %r3, %r0;\n", a, a)[0]);
    assertEquals(127, Instructions.body32("cvt.sat.s8.s32 %r3, %r0;\n", a, a)[2]);
    assertEquals(0, Instructions.body32("cvt.sat.u8.s32 %r3, %r0;\n", a, a)[1]);
    assertEquals(-1, Instructions.body32("cvt.s64.s32 %l0, %r0;\nmov.b64 {%r2, %r3}, %l0;\n", a, a)[1]);
    assertEquals(0, Instructions.body32("cvt.u64.u32 %l0, %r0;\nmov.b64 {%r2, %r3}, %l0;\n", a, a)[1]);
  }
}
