package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.oracle.SmallFormat;

/** Conversions to and from floating-point formats of eight bits and fewer, by the lists of their values. */
class SmallConversionsTest {
  private static int[] all(int count) {
    return IntStream.range(0, count).toArray();
  }

  /** The patterns of numbers between and at the values of a format, and of others. */
  private static int[] singles(SmallFormat format) {
    var values = new ArrayList<Float>();
    for (int code = 0; code < 1 << format.bits; code++) {
      float a = (float) format.value(code);
      float b = (float) format.value(code == (1 << format.bits) - 1 ? 0 : code + 1);
      for (float x : new float[] {a, (a + b) / 2, 2 * a, 1.25f * a}) {
        values.add(x);
        values.add(Math.nextUp(x));
        values.add(Math.nextDown(x));
      }
    }
    var random = new Random(1);
    IntStream.range(0, 1000).forEach(_ -> values.add(Float.intBitsToFloat(random.nextInt())));
    return values.stream().mapToInt(Float::floatToRawIntBits).toArray();
  }

  private static String narrow(String type, String arguments) {
    boolean nibbles = type.contains("e2m1");
    return nibbles ? "{.reg .b8 b; cvt." + type + " b, " + arguments + "; cvt.u32.u8 %r3, b;}\n"
        : "cvt." + type + " %h1, " + arguments + "; cvt.u32.u16 %r3, %h1;\n";
  }

  private static float relu(float x) {
    return x > 0 || Float.isNaN(x) ? x : 0;
  }

  @ParameterizedTest
  @ValueSource(strings = {"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2"})
  void singlesBecomeTheNearestNumberOfAPair(String type) {
    var format = SmallFormat.of(type);
    int[] a = singles(format);
    int[] b = IntStream.range(0, a.length).map(i -> a[(i * 7 + 3) % a.length]).toArray();
    for (var relu : new String[] {"", ".relu"}) {
      int[] got = Instructions.body32("mov.b32 %f1, %r0; mov.b32 %f2, %r1;\n"
          + narrow("rn.satfinite" + relu + "." + type + ".f32", "%f1, %f2"), a, b);
      for (int i = 0; i < a.length; i++) {
        float x = Float.intBitsToFloat(a[i]);
        float y = Float.intBitsToFloat(b[i]);
        int expected = relu.isEmpty() ? format.nearest(x) << format.width() | format.nearest(y)
            : format.nearest(relu(x)) << format.width() | format.nearest(relu(y));
        assertEquals(expected, got[i], x + " and " + y);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"e4m3x2", "e5m2x2", "e2m1x2"})
  void everyHalfBecomesTheNearestNumber(String type) {
    var format = SmallFormat.of(type);
    int[] pairs = IntStream.range(0, 1 << 16).map(h -> h << 16 | 65535 - h).toArray();
    int[] got = Instructions.body32(narrow("rn.satfinite." + type + ".f16x2", "%r0"), pairs, pairs);
    for (int i = 0; i < pairs.length; i++) {
      int high = format.nearest(Float.float16ToFloat((short) (pairs[i] >>> 16)));
      int low = format.nearest(Float.float16ToFloat((short) pairs[i]));
      assertEquals(high << format.width() | low, got[i], Integer.toHexString(pairs[i]));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2"})
  void everyPairOfNumbersBecomesHalves(String type) {
    var format = SmallFormat.of(type);
    int[] words = all(1 << 2 * format.width());
    for (var relu : new String[] {"", ".relu"}) {
      var cvt = "cvt.rn" + relu + ".f16x2." + type + " %r3, ";
      int[] got = Instructions.body32(format.width() == 4
          ? "{.reg .b8 b, x; cvt.u16.u32 %h1, %r0; mov.b16 {b, x}, %h1; " + cvt + "b;}\n"
          : "cvt.u16.u32 %h1, %r0; " + cvt + "%h1;\n", words, words);
      for (int word : words) {
        int low = half(format, word & (1 << format.width()) - 1, relu);
        int high = half(format, word >> format.width(), relu);
        assertEquals(high << 16 | low, got[word], Integer.toHexString(word));
      }
    }
  }

  private static int half(SmallFormat format, int code, String relu) {
    double value = format.value(code & (1 << format.bits) - 1);
    if (Double.isNaN(value)) return 0x7FFF;
    float kept = relu.isEmpty() ? (float) value : relu((float) value);
    return Float.floatToFloat16(kept) & 0xFFFF;
  }

  @ParameterizedTest
  @CsvSource({"rz,''", "rz,.satfinite", "rp,''", "rp,.satfinite"})
  void everyBf16BecomesAScale(String rounding, String finite) {
    int[] pairs = IntStream.range(0, 1 << 16).map(h -> h << 16 | 65535 - h).toArray();
    int[] got = Instructions.body32(narrow(rounding + finite + ".ue8m0x2.bf16x2", "%r0"), pairs, pairs);
    for (int i = 0; i < pairs.length; i++) {
      int high = scale(Float.intBitsToFloat(pairs[i] & 0xFFFF_0000), rounding, !finite.isEmpty());
      int low = scale(Float.intBitsToFloat(pairs[i] << 16), rounding, !finite.isEmpty());
      assertEquals(high << 8 | low, got[i], Integer.toHexString(pairs[i]));
    }
  }

  @ParameterizedTest
  @CsvSource({"rz,''", "rp,.satfinite"})
  void singlesBecomeScales(String rounding, String finite) {
    int[] a = new Random(2).ints(20_000).toArray();
    int[] b = IntStream.range(0, a.length).map(i -> a[i] & 0xFF80_0000 | i % 3).toArray();
    int[] got = Instructions.body32("mov.b32 %f1, %r0; mov.b32 %f2, %r1;\n"
        + narrow(rounding + finite + ".ue8m0x2.f32", "%f1, %f2"), a, b);
    for (int i = 0; i < a.length; i++) {
      int high = scale(Float.intBitsToFloat(a[i]), rounding, !finite.isEmpty());
      int low = scale(Float.intBitsToFloat(b[i]), rounding, !finite.isEmpty());
      assertEquals(high << 8 | low, got[i], Integer.toHexString(a[i]) + " " + Integer.toHexString(b[i]));
    }
  }

  /** The biased exponent of the power of two below or above the magnitude, from 2^-127 to 2^127; 255 is NaN. */
  private static int scale(float x, String rounding, boolean finite) {
    if (Float.isNaN(x)) return 255;
    double magnitude = Math.abs((double) x);
    int code = 0;
    while (code < 255 && (rounding.equals("rp") ? Math.scalb(1.0, code - 127) < magnitude
        : Math.scalb(1.0, code - 126) <= magnitude)) {
      code++;
    }
    return finite ? Math.min(code, 254) : code;
  }

  @Test
  void everyScaleBecomesItsPowerOfTwo() {
    int[] words = all(1 << 16);
    int[] got = Instructions.body32("cvt.u16.u32 %h1, %r0; cvt.rn.bf16x2.ue8m0x2 %r3, %h1;\n", words, words);
    for (int word : words) assertEquals(power(word >> 8) << 16 | power(word & 255), got[word]);
  }

  private static int power(int code) {
    return code == 255 ? 0x7FFF : Float.floatToRawIntBits((float) Math.scalb(1.0, code - 127)) >>> 16;
  }
}
