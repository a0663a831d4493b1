package tilewright.simulator.tensorcore;

/** Rounds the exact total of a block to the accumulators' format. */
final class TotalRounding {
  private static final int DOUBLE_SIGNIFICAND = 53;
  private static final double TOO_LARGE = 0x1p128;
  private static final int HALF_BITS = 11;
  private static final int HALF_LEAST = -14;

  private TotalRounding() {}

  /**
   * Cuts totals to so many bits, 14 or 24, and scales them back. In 32-bit arithmetic without branches, which becomes
   * vector instructions: what a magnitude has beyond those bits says how many of its last to clear.
   */
  static void truncate(float[] sums, int[] totals, float[] scale, int width, int bits) {
    for (int i = 0; i < width; i++) {
      int sign = totals[i] >> 31;
      int magnitude = (totals[i] ^ sign) - sign;
      sums[i] = ((magnitude & ~excess(magnitude, bits) ^ sign) - sign) / scale[i];
    }
  }

  /** Truncates to 24 bits totals in two parts, whose magnitude may have 32 bits. */
  static void truncate(float[] sums, int[] low, int[] high, float[] scale, int width) {
    for (int i = 0; i < width; i++) {
      int x = low[i];
      int y = high[i];
      int sign = (x >> 1) + (y >> 1) + (x & y & 1) >> 31;
      int magnitude = (x + y ^ sign) - sign;
      int kept = magnitude & ~excess(magnitude, 24);
      float value = (kept >>> 8) * 256f + (kept & 0xFF);
      sums[i] = value * (sign | 1) / scale[i];
    }
  }

  private static int excess(int magnitude, int bits) {
    int excess = magnitude >>> bits;
    excess |= excess >>> 1;
    excess |= excess >>> 2;
    return excess | excess >>> 4;
  }

  /** Truncates to 24 bits totals in any number of parts. */
  static void truncate(float[] sums, int[][] totals, int parts, float[] scale, int width) {
    for (int i = 0; i < width; i++) {
      sums[i] = (float) cut(total(totals, parts, i), 24) / scale[i];
    }
  }

  static void half(float[] sums, int[][] totals, int parts, float[] scale, int width) {
    for (int i = 0; i < width; i++) sums[i] = half(total(totals, parts, i) / scale[i]);
  }

  private static double total(int[][] totals, int parts, int i) {
    double total = 0;
    for (int part = 0; part < parts; part++) total += totals[part][i];
    return total;
  }

  /** A total of any size. */
  static float of(double sum, DotModel.Rounding rounding) {
    if (sum == 0) return 0;
    if (rounding.half()) return half(sum);
    double magnitude = Math.abs(sum);
    if (magnitude >= TOO_LARGE) return sum > 0 ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
    int bits = rounding.significandBits();
    if (magnitude >= Float.MIN_NORMAL) return (float) cut(sum, bits);
    double quantum = Math.scalb(1.0, Float.MIN_EXPONENT + 1 - bits);
    return unsignedZero((float) Math.copySign(Math.floor(magnitude / quantum) * quantum, sum));
  }

  /** Toward zero to so many bits of significand. */
  private static double cut(double value, int bits) {
    return Double.longBitsToDouble(Double.doubleToRawLongBits(value) & -1L << DOUBLE_SIGNIFICAND - bits);
  }

  /** Rounds to the nearest f16, ties to even. */
  private static float half(double sum) {
    if (sum == 0) return 0;
    int exponent = Math.max(Math.getExponent(sum), HALF_LEAST);
    double unit = Math.scalb(1.0, exponent + 1 - HALF_BITS);
    double rounded = Math.rint(sum / unit) * unit;
    return Math.abs(rounded) > 65504 ? Math.copySign(Float.POSITIVE_INFINITY, (float) sum)
        : unsignedZero((float) rounded);
  }

  /** A sum too small for its format is positive zero, whatever its sign. (As an H200 rounds.) */
  private static float unsignedZero(float sum) {
    return sum == 0 ? 0 : sum;
  }
}
