package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.oracle.SmallFormat;

/**
 * {@code cvt.rs} by its definition (PTX ISA, cvt): of the two neighbours, the one away from zero where the discarded
 * fraction, cut to as many bits as there are random ones, and these carry in an integer addition.
 */
class StochasticRoundingTest {
  private static final int F16_BITS = 13;
  private static final int BF16_BITS = 16;
  private static final int SMALL_BITS = 16;

  /** How many steps of a grid a magnitude becomes. */
  private static BigInteger steps(float magnitude, BigDecimal step, int random, int bits) {
    var parts = new BigDecimal(magnitude).divideAndRemainder(step);
    var fraction = parts[1].divide(step).multiply(new BigDecimal(BigInteger.ONE.shiftLeft(bits)))
        .setScale(0, RoundingMode.DOWN).toBigInteger();
    boolean carries = fraction.add(BigInteger.valueOf(random)).bitLength() > bits;
    return parts[0].toBigInteger().add(carries ? BigInteger.ONE : BigInteger.ZERO);
  }

  /** The pattern of a number that is rounded on the list of a format's values. */
  private static int code(float x, SmallFormat format, int random, boolean relu) {
    if (Float.isNaN(x)) return format.nearest(x);
    boolean negative = Float.floatToRawIntBits(x) < 0;
    if (relu && negative) return 0;
    int sign = negative ? 1 << format.bits - 1 : 0;
    int greatest = IntStream.range(0, 1 << format.bits - 1).filter(c -> Double.isFinite(format.value(c))).max()
        .orElseThrow();
    float magnitude = Math.abs(x);
    if (magnitude >= format.value(greatest)) return sign | greatest;
    int below = IntStream.rangeClosed(0, greatest).filter(c -> format.value(c) <= magnitude).max().orElseThrow();
    var step = new BigDecimal(format.value(below + 1)).subtract(new BigDecimal(format.value(below)));
    float rest = (float) (magnitude - format.value(below));
    return sign | below + steps(rest, step, random, SMALL_BITS).intValueExact();
  }

  /** Numbers of all magnitudes that matter to a format, on its grid, beside it and far off. */
  private static float[] numbers(SmallFormat format) {
    var random = new Random(format.ordinal());
    var values = new float[4000];
    for (int i = 0; i < values.length; i++) {
      double x = format.value(random.nextInt(1 << format.bits));
      values[i] = switch (i % 4) {
        case 0 -> (float) x;
        case 1 -> (float) (x * (1 + random.nextDouble()));
        case 2 -> Math.nextUp((float) x);
        default -> Float.intBitsToFloat(random.nextInt());
      };
    }
    return values;
  }

  private static int[] bits(float[] values) {
    return IntStream.range(0, values.length).map(i -> Float.floatToRawIntBits(values[i])).toArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"})
  void fourNumbersShareTheRandomBitsByPairs(String type) {
    var format = SmallFormat.of(type);
    float[] x = numbers(format);
    int[] random = new Random(9).ints(x.length).map(r -> r % 3 == 0 ? r >> 31 : r).toArray();
    for (var relu : new String[] {"", ".relu"}) {
      var cvt = "cvt.rs" + relu + ".satfinite." + type + ".f32 ";
      var narrow = format.width() == 4 ? cvt + "%h1, {%f1, %f2, %f3, %f4}, %r1; cvt.u32.u16 %r3, %h1;\n"
          : cvt + "%r3, {%f1, %f2, %f3, %f4}, %r1;\n";
      int[] got = Instructions.body32("""
          mov.b32 %f1, %r0;
          neg.f32 %f2, %f1;
          mul.f32 %f3, %f1, 0f3F400000;
          neg.f32 %f4, %f3;
          """ + narrow, bits(x), random);
      for (int i = 0; i < x.length; i++) {
        float y = x[i] * 0.75f;
        int expected = 0;
        for (float v : new float[] {x[i], -x[i]}) {
          expected = expected << format.width() | code(v, format, random[i] >>> 16, !relu.isEmpty());
        }
        for (float v : new float[] {y, -y}) {
          expected = expected << format.width() | code(v, format, random[i] & 0xFFFF, !relu.isEmpty());
        }
        assertEquals(Integer.toHexString(expected), Integer.toHexString(got[i]), x[i] + " " + random[i]);
      }
    }
  }

  /** The pattern of a finite number in range: sixteen bits with so many of fraction. */
  private static int pattern(float x, int fractionBits, int leastExponent, int random, int bits) {
    float magnitude = Math.abs(x);
    int exponent = Math.max(Math.getExponent(magnitude), leastExponent);
    var step = new BigDecimal(Math.scalb(1.0, exponent - fractionBits));
    int count = steps(magnitude, step, random, bits).intValueExact();
    // Patterns of one sign are in order: a binade of 2^fractionBits steps begins at each multiple of that.
    return (exponent - leastExponent << fractionBits) + count | (Float.floatToRawIntBits(x) < 0 ? 1 << 15 : 0);
  }

  @ParameterizedTest
  @CsvSource({"f16x2, 10, -14, 13", "bf16x2, 7, -126, 16"})
  void twoNumbersHaveTheirOwnRandomBits(String type, int fractionBits, int leastExponent, int bits) {
    var source = new Random(4);
    float[] x = new float[20_000];
    for (int i = 0; i < x.length; i++) {
      int exponent = type.equals("f16x2") ? source.nextInt(-28, 15) : source.nextInt(-149, 126);
      x[i] = Math.scalb(1 + (i % 5 == 0 ? 0 : source.nextFloat()), exponent) * (i % 2 == 0 ? 1 : -1);
    }
    int[] random = source.ints(x.length).map(r -> r % 4 == 0 ? r >> 31 : r).toArray();
    for (var modifiers : new String[] {"", ".relu", ".satfinite", ".relu.satfinite"}) {
      int[] got = Instructions.body32("mov.b32 %f1, %r0;\nmul.f32 %f2, %f1, 0fBF400000;\ncvt.rs" + modifiers + "."
          + type + ".f32 %r3, %f1, %f2, %r1;\n", bits(x), random);
      for (int i = 0; i < x.length; i++) {
        int high = half(x[i], fractionBits, leastExponent, random[i] >>> 16, bits, modifiers);
        int low = half(x[i] * -0.75f, fractionBits, leastExponent, random[i], bits, modifiers);
        assertEquals(Integer.toHexString(high << 16 | low), Integer.toHexString(got[i]), x[i] + " " + random[i]);
      }
    }
  }

  private static int half(float x, int fractionBits, int leastExponent, int random, int bits, String modifiers) {
    if (modifiers.contains("relu") && x < 0) return 0;
    return pattern(x, fractionBits, leastExponent, random & (1 << bits) - 1, bits);
  }

  @ParameterizedTest
  @CsvSource({"'', 7c00", ".satfinite, 7bff"})
  void aCarryOutOfTheGreatestHalfIsInfiniteUnlessItIsClamped(String finite, String carried) {
    // 65504 is the greatest half; 65520 lies in the middle between that and the next step.
    int[] x = {Float.floatToRawIntBits(65520), Float.floatToRawIntBits(65520), Float.floatToRawIntBits(32800)};
    int[] got = Instructions.body32("mov.b32 %f1, %r0;\nmov.b32 %f2, 0;\ncvt.rs" + finite
        + ".f16x2.f32 %r3, %f2, %f1, %r1;\n", x, new int[] {0x0FFF, 0x1000, 0x1FFF});
    assertArrayEquals(new int[] {0x7BFF, Integer.parseInt(carried, 16), 0x7801}, got);
  }

  /** Over all random bits a number is rounded up as often as its distance from the lower neighbour says. */
  @Test
  void theMeanOverAllRandomBitsIsTheNumberItself() {
    int[] random = IntStream.range(0, 1 << F16_BITS).toArray();
    for (int discarded : new int[] {0, 1, 77, 4096, 8191}) {
      var x = new int[random.length];
      Arrays.fill(x, 0x3F800000 | discarded);
      int[] got = Instructions.body32("mov.b32 %f1, %r0;\nmov.b32 %f2, 0;\ncvt.rs.f16x2.f32 %r3, %f2, %f1, %r1;\n", x,
          random);
      assertEquals(discarded, Arrays.stream(got).filter(h -> h == 0x3C01).count());
      assertEquals(random.length - discarded, Arrays.stream(got).filter(h -> h == 0x3C00).count());
    }
  }

  /** To bf16 it is the integer addition itself, after which the upper half remains. */
  @Test
  void bf16IsTheUpperHalfOfASum() {
    int[] x = new Random(6).ints(20_000).filter(b -> (b & 0x7F800000) < 0x7F000000).toArray();
    int[] random = new Random(7).ints(x.length).toArray();
    int[] got = Instructions.body32("mov.b32 %f1, %r0;\ncvt.rs.bf16x2.f32 %r3, %f1, %f1, %r1;\n", x, random);
    for (int i = 0; i < x.length; i++) {
      int high = x[i] + (random[i] >>> BF16_BITS) >>> 16;
      int low = x[i] + (random[i] & 0xFFFF) >>> 16;
      assertEquals(high << 16 | low, got[i], Integer.toHexString(x[i]));
    }
  }
}
