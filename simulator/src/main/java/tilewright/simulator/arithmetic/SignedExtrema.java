package tilewright.simulator.arithmetic;

/** {@code min} and {@code max} with {@code .xorsign.abs}: of the magnitudes, with the product's sign. */
public final class SignedExtrema {
  private SignedExtrema() {}

  public static float f32(float a, float b, boolean max, boolean propagate) {
    float x = Math.abs(a);
    float y = Math.abs(b);
    float chosen = propagate ? max ? FloatMath.maxNaN(x, y) : FloatMath.minNaN(x, y)
        : max ? FloatMath.max(x, y) : FloatMath.min(x, y);
    int sign = (Float.floatToRawIntBits(a) ^ Float.floatToRawIntBits(b)) & 0x8000_0000;
    return chosen != chosen ? chosen : Float.intBitsToFloat(Float.floatToRawIntBits(chosen) | sign);
  }

  public static int f16(int a, int b, boolean max, boolean propagate) {
    return Conversions.toF16(f32(Conversions.fromF16(a), Conversions.fromF16(b), max, propagate));
  }

  public static int bf16(int a, int b, boolean max, boolean propagate) {
    return Conversions.toBf16(f32(Conversions.fromBf16(a), Conversions.fromBf16(b), max, propagate));
  }

  public static int f16x2(int a, int b, boolean max, boolean propagate) {
    return f16(a & 0xFFFF, b & 0xFFFF, max, propagate) | f16(a >>> 16, b >>> 16, max, propagate) << 16;
  }

  public static int bf16x2(int a, int b, boolean max, boolean propagate) {
    return bf16(a & 0xFFFF, b & 0xFFFF, max, propagate) | bf16(a >>> 16, b >>> 16, max, propagate) << 16;
  }
}
