package tilewright.numerics;

/**
 * A row of finite numbers of eight bits or fewer of which blocks of neighbours share scales, decoded for many dot
 * products of {@link BlockScaledModel}. Immutable.
 */
public final class ScaledFactors {
  private final double[] values;
  private final double[] scales;
  private final int block;
  private final int leastExponent;
  private final int leastScale;

  /**
   * @param values finite
   * @param leastExponent that of the smallest normal number of their format
   * @param scales one for each block, the last perhaps begun only; NaN makes every sum with it NaN
   * @param leastScale the exponent of the smallest normal scale
   * @param block neighbours that share a scale
   */
  public ScaledFactors(double[] values, int leastExponent, double[] scales, int leastScale, int block) {
    if (scales.length != Math.ceilDiv(values.length, block)) {
      throw new IllegalArgumentException(values.length + " numbers in blocks of " + block + " have "
          + Math.ceilDiv(values.length, block) + " scales, got " + scales.length);
    }
    this.values = values.clone();
    this.leastExponent = leastExponent;
    this.scales = scales.clone();
    this.leastScale = leastScale;
    this.block = block;
  }

  public int count() {
    return values.length;
  }

  /** A number times its scale. */
  public double scaled(int k) {
    return value(k) * scale(k);
  }

  double value(int k) {
    return values[k];
  }

  /** The exponent with which a number other than zero enters an alignment. */
  int exponent(int k) {
    return Math.max(Math.getExponent(values[k]), leastExponent);
  }

  double scale(int k) {
    return scales[k / block];
  }

  /** The exponent with which the scale of a number enters an alignment. */
  int scaleExponent(int k) {
    return Math.max(Math.getExponent(scales[k / block]), leastScale);
  }
}
