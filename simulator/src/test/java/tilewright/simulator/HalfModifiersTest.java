package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What .ftz, .sat, .relu, .NaN and .satfinite add to 16-bit arithmetic, and comparisons of pairs. */
class HalfModifiersTest {
  private static final int N = 4000;
  private static final int[] EDGES = {0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00,
      0x7E00, 0xFE01, 0x7F80, 0x7FC0, 0x3F80, 0xFF80};

  private static int[] pairs(int seed) {
    var random = new Random(seed);
    return random.ints(N).map(v -> random.nextBoolean() ? v
        : EDGES[random.nextInt(EDGES.length)] << 16 | EDGES[random.nextInt(EDGES.length)]).toArray();
  }

  private static double value(int bits, String type) {
    return type.startsWith("f16") ? Float.float16ToFloat((short) bits) : Float.intBitsToFloat(bits << 16);
  }

  private static int both(int pair, IntUnaryOperator half) {
    return half.applyAsInt(pair & 0xFFFF) & 0xFFFF | half.applyAsInt(pair >>> 16) << 16;
  }

  @ParameterizedTest
  @CsvSource({"f16x2", "bf16x2"})
  void reluReplacesWhatIsNegative(String type) {
    int[] a = pairs(1);
    int[] b = pairs(2);
    int[] c = pairs(3);
    int[] plain = Instructions.on32("fma.rn." + type, a, b, c, 3);
    int[] got = Instructions.on32("fma.rn.relu." + type, a, b, c, 3);
    for (int i = 0; i < N; i++) {
      assertEquals(both(plain[i], h -> Double.isNaN(value(h, type)) ? 0x7FFF : value(h, type) > 0 ? h : 0), got[i]);
    }
  }

  @Test
  void satClampsToTheUnitInterval() {
    int[] a = pairs(4);
    int[] b = pairs(5);
    int[] plain = Instructions.on32("add.f16x2", a, b, b, 2);
    int[] got = Instructions.on32("add.sat.f16x2", a, b, b, 2);
    for (int i = 0; i < N; i++) {
      assertEquals(both(plain[i], h -> {
        double v = value(h, "f16");
        return Float.floatToFloat16(v > 0 ? (float) Math.min(v, 1) : 0f);
      }), got[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"mul", "add", "sub"})
  void ftzFlushesOperandsAndResults(String operation) {
    int[] a = pairs(6);
    int[] b = pairs(7);
    IntUnaryOperator flush = h -> Math.abs(value(h, "f16")) < 0x1p-14 ? h & 0x8000 : h;
    int[] fa = IntStream.of(a).map(p -> both(p, flush)).toArray();
    int[] fb = IntStream.of(b).map(p -> both(p, flush)).toArray();
    int[] plain = Instructions.on32(operation + ".f16x2", fa, fb, fb, 2);
    int[] got = Instructions.on32(operation + ".ftz.f16x2", a, b, b, 2);
    for (int i = 0; i < N; i++) assertEquals(both(plain[i], flush), got[i]);
  }

  @ParameterizedTest
  @CsvSource({"min,f16x2", "max,f16x2", "min,bf16x2", "max,bf16x2"})
  void nanPropagatesWhenAskedFor(String operation, String type) {
    int[] a = pairs(8);
    int[] b = pairs(9);
    int[] got = Instructions.on32(operation + ".NaN." + type, a, b, b, 2);
    for (int i = 0; i < N; i++) {
      for (int shift = 0; shift < 32; shift += 16) {
        double x = value(a[i] >>> shift & 0xFFFF, type);
        double y = value(b[i] >>> shift & 0xFFFF, type);
        int h = got[i] >>> shift & 0xFFFF;
        if (Double.isNaN(x) || Double.isNaN(y)) {
          assertEquals(0x7FFF, h);
        } else {
          assertEquals(operation.equals("min") ? Math.min(x, y) : Math.max(x, y), value(h, type));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"rn,f16x2", "rz,f16x2", "rn,bf16x2", "rz,bf16x2"})
  void satfiniteKeepsConversionsFinite(String mode, String type) {
    int[] a = new Random(10).ints(N).toArray();
    int[] b = new Random(11).ints(N).map(v -> v & 3 | 0x477F_E000 + (v & 0x1FFF)).toArray();
    int[] plain = Instructions.on32("cvt." + mode + "." + type + ".f32", a, b, b, 2);
    int[] got = Instructions.on32("cvt." + mode + ".satfinite." + type + ".f32", a, b, b, 2);
    int[] clamped = Instructions.on32("cvt." + mode + ".relu.satfinite." + type + ".f32", a, b, b, 2);
    int infinity = type.equals("f16x2") ? 0x7C00 : 0x7F80;
    for (int i = 0; i < N; i++) {
      int want = both(plain[i], h -> (h & 0x7FFF) == infinity ? h - 1 : h);
      assertEquals(want, got[i]);
      assertEquals(both(want, h -> (h & 0x7FFF) > infinity ? 0x7FFF : h >= 0x8000 ? 0 : h), clamped[i]);
    }
  }

  @ParameterizedTest
  @CsvSource({"lt,f16x2", "gtu,f16x2", "nan,bf16x2", "eq,bf16x2"})
  void comparisonsOfPairsGiveAResultForEachHalf(String operator, String type) {
    int[] a = pairs(12);
    int[] b = pairs(13);
    int[] got = Instructions.body32("""
        setp.%1$s.%2$s %%q1|%%q2, %%r0, %%r1;
        set.%1$s.u32.%2$s %%r4, %%r0, %%r1;
        set.%1$s.f16x2.%2$s %%r5, %%r0, %%r1;
        and.b32 %%r6, %%r4, 0x70007;
        selp.u32 %%r3, 0x8, 0, %%q1;
        selp.u32 %%r7, 0x80000, 0, %%q2;
        or.b32 %%r3, %%r3, %%r7;
        or.b32 %%r3, %%r3, %%r6;
        or.b32 %%r3, %%r3, %%r5;
        """.formatted(operator, type), a, b);
    for (int i = 0; i < N; i++) {
      int want = 0;
      for (int shift = 0; shift < 32; shift += 16) {
        double x = value(a[i] >>> shift & 0xFFFF, type);
        double y = value(b[i] >>> shift & 0xFFFF, type);
        boolean unordered = Double.isNaN(x) || Double.isNaN(y);
        boolean holds = switch (operator) {
          case "lt" -> x < y;
          case "gtu" -> unordered || x > y;
          case "nan" -> unordered;
          default -> x == y;
        };
        // 1.0 in f16, the low bits of all ones, and a bit for the predicate.
        if (holds) want |= (0x3C00 | 0xF) << shift;
      }
      assertEquals(want, got[i]);
    }
  }

  @Test
  void testpTellsTheKindsOfNumbers() {
    float[] kinds = {0f, -0f, Float.MIN_VALUE, -0x1p-127f, Float.MIN_NORMAL, -1f, Float.MAX_VALUE,
        Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN};
    int[] a = new int[kinds.length];
    for (int i = 0; i < a.length; i++) a[i] = Float.floatToRawIntBits(kinds[i]);
    var body = new StringBuilder("mov.u32 %r3, 0;\n");
    var properties = new String[] {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (int k = 0; k < properties.length; k++) {
      body.append("testp.").append(properties[k]).append(".f32 %q1, %r0;\n@%q1 or.b32 %r3, %r3, ").append(1 << k)
          .append(";\n");
    }
    int[] got = Instructions.body32(body.toString(), a, a);
    int normal = 0b010101;
    int subnormal = 0b100101;
    int infinite = 0b000110;
    assertArrayEquals(new int[] {normal, normal, subnormal, subnormal, normal, normal, normal, infinite,
        infinite, 0b001000}, got);
  }

  @ParameterizedTest
  @CsvSource({"u16,16", "s16,16", "u8,8", "s8,8", "u4,4", "s4,4", "u2,2", "s2,2"})
  void cvtPackClampsIntoFields(String type, int bits) {
    int[] a = new Random(14).ints(N).map(v -> v >> (v & 31)).toArray();
    int[] b = new Random(15).ints(N).map(v -> v >> (v & 31)).toArray();
    int[] c = new Random(16).ints(N).toArray();
    int[] got = bits == 16 ? Instructions.on32("cvt.pack.sat." + type + ".s32", a, b, c, 2)
        : Instructions.on32("cvt.pack.sat." + type + ".s32.b32", a, b, c, 3);
    long least = type.startsWith("s") ? -(1L << bits - 1) : 0;
    long most = least + (1L << bits) - 1;
    for (int i = 0; i < N; i++) {
      long fields = (Math.clamp(a[i], least, most) & (1L << bits) - 1) << bits
          | Math.clamp(b[i], least, most) & (1L << bits) - 1;
      assertEquals((int) (((long) c[i] << 2 * bits) | fields), got[i]);
    }
  }
}
