package tilewright.simulator.arithmetic;

import static tilewright.simulator.arithmetic.Conversions.fromBf16;
import static tilewright.simulator.arithmetic.Conversions.fromF16;
import static tilewright.simulator.arithmetic.Conversions.toBf16;
import static tilewright.simulator.arithmetic.Conversions.toF16;

/** Functions of f16 and bf16 on one lane, single and in pairs. */
public final class HalfFunctions {
  private HalfFunctions() {}

  /** The results that an H200 gives for every operand; read when first used. */
  private static final class Tables {
    static final char[] EX2_F16 = HalfTables.read("ex2.f16.gz");
    static final char[] EX2_BF16 = HalfTables.read("ex2.bf16.gz");
    static final char[] TANH_F16 = HalfTables.read("tanh.f16.gz");
    static final char[] TANH_BF16 = HalfTables.read("tanh.bf16.gz");
  }

  private static int pack(int low, int high) {
    return low | high << 16;
  }

  public static int ex2F16(int a) {
    return Tables.EX2_F16[a & 0xFFFF];
  }

  public static int ex2F16x2(int a) {
    return pack(ex2F16(a & 0xFFFF), ex2F16(a >>> 16));
  }

  public static int ex2Bf16(int a) {
    return Tables.EX2_BF16[a & 0xFFFF];
  }

  public static int ex2Bf16x2(int a) {
    return pack(ex2Bf16(a & 0xFFFF), ex2Bf16(a >>> 16));
  }

  public static int tanhF16(int a) {
    return Tables.TANH_F16[a & 0xFFFF];
  }

  public static int tanhF16x2(int a) {
    return pack(tanhF16(a & 0xFFFF), tanhF16(a >>> 16));
  }

  public static int tanhBf16(int a) {
    return Tables.TANH_BF16[a & 0xFFFF];
  }

  public static int tanhBf16x2(int a) {
    return pack(tanhBf16(a & 0xFFFF), tanhBf16(a >>> 16));
  }

  /** The sign changed; NaN becomes the hardware's. */
  public static int negF16(int a) {
    return (a & 0x7FFF) > 0x7C00 ? 0x7FFF : a ^ 0x8000;
  }

  public static int negF16x2(int a) {
    return pack(negF16(a & 0xFFFF), negF16(a >>> 16));
  }

  public static int absF16(int a) {
    return (a & 0x7FFF) > 0x7C00 ? 0x7FFF : a & 0x7FFF;
  }

  public static int absF16x2(int a) {
    return pack(absF16(a & 0xFFFF), absF16(a >>> 16));
  }

  public static int negBf16(int a) {
    return (a & 0x7FFF) > 0x7F80 ? 0x7FFF : a ^ 0x8000;
  }

  public static int negBf16x2(int a) {
    return pack(negBf16(a & 0xFFFF), negBf16(a >>> 16));
  }

  public static int absBf16(int a) {
    return (a & 0x7FFF) > 0x7F80 ? 0x7FFF : a & 0x7FFF;
  }

  public static int absBf16x2(int a) {
    return pack(absBf16(a & 0xFFFF), absBf16(a >>> 16));
  }

  public static int minNaNF16(int a, int b) {
    return toF16(FloatMath.minNaN(fromF16(a), fromF16(b)));
  }

  public static int minNaNF16x2(int a, int b) {
    return pack(minNaNF16(a & 0xFFFF, b & 0xFFFF), minNaNF16(a >>> 16, b >>> 16));
  }

  public static int maxNaNF16(int a, int b) {
    return toF16(FloatMath.maxNaN(fromF16(a), fromF16(b)));
  }

  public static int maxNaNF16x2(int a, int b) {
    return pack(maxNaNF16(a & 0xFFFF, b & 0xFFFF), maxNaNF16(a >>> 16, b >>> 16));
  }

  public static int minNaNBf16(int a, int b) {
    return toBf16(FloatMath.minNaN(fromBf16(a), fromBf16(b)));
  }

  public static int minNaNBf16x2(int a, int b) {
    return pack(minNaNBf16(a & 0xFFFF, b & 0xFFFF), minNaNBf16(a >>> 16, b >>> 16));
  }

  public static int maxNaNBf16(int a, int b) {
    return toBf16(FloatMath.maxNaN(fromBf16(a), fromBf16(b)));
  }

  public static int maxNaNBf16x2(int a, int b) {
    return pack(maxNaNBf16(a & 0xFFFF, b & 0xFFFF), maxNaNBf16(a >>> 16, b >>> 16));
  }
}
