package tilewright.simulator.tensorcore;

/** A format of block scales, as significand and exponent: the value is the significand by two to the exponent. */
public enum ScaleFormat {
  UE8M0, UE4M3;

  private static final int BYTE = 0xFF;
  private static final int UE8M0_BIAS = 127;
  private static final int UE4M3_BITS = 0x7F;
  private static final int FRACTION_BITS = 3;
  private static final int UE4M3_BIAS = 7;

  public boolean isNan(int bits) {
    return this == UE8M0 ? (bits & BYTE) == BYTE : (bits & UE4M3_BITS) == UE4M3_BITS;
  }

  /** The significand in eighths. */
  public int eighths(int bits) {
    if (this == UE8M0) return 1 << FRACTION_BITS;
    int fraction = bits & (1 << FRACTION_BITS) - 1;
    return (bits & UE4M3_BITS) >>> FRACTION_BITS == 0 ? fraction : fraction | 1 << FRACTION_BITS;
  }

  /** The exponent; that of the least normal number for subnormals. */
  public int exponent(int bits) {
    if (this == UE8M0) return (bits & BYTE) - UE8M0_BIAS;
    return Math.max(1, (bits & UE4M3_BITS) >>> FRACTION_BITS) - UE4M3_BIAS;
  }
}
