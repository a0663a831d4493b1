package tilewright.simulator.tensorcore;

/**
 * The sum of one accumulator and products of 8, 6 or 4 bits that share one scale, of {@code kind::mxf8f6f4}: terms are
 * aligned to the largest exponent, scales included, and cut 25 bits below it.
 */
public final class ScaledDot {
  static final int LEAST = Float.MIN_EXPONENT;
  static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);
  private static final int FRACTION = 25;
  private static final int ZERO = -133;
  private static final int NONE = Integer.MIN_VALUE / 2;

  /** One row of A or column of B: values and exponents, where subnormals count with the least exponent. */
  public record Factor(float[] values, int[] exponents) {
    public Factor(int depth) {
      this(new float[depth], new int[depth]);
    }

    public void set(int k, int bits, MmaType type, boolean negated) {
      float value = type.format().decode(bits);
      values[k] = negated ? -value : value;
      exponents[k] = Math.max(Math.getExponent(value), type.format().leastExponent());
    }
  }

  private final boolean floor;

  /** @param floor whether zero terms count with an exponent, as in MMA-Sim */
  public ScaledDot(boolean floor) {
    this.floor = floor;
  }

  /**
   * Adds the products of {@code depth} steps.
   *
   * @param scale the sum of both scales' exponents
   */
  public float add(float old, Factor a, Factor b, int depth, int scale) {
    double special = Float.isFinite(old) ? 0 : old;
    int largest = old == 0 ? NONE : Math.max(Math.getExponent(old), LEAST) - scale;
    boolean zeros = old == 0;
    boolean products = false;
    for (int k = 0; k < depth; k++) {
      float product = a.values[k] * b.values[k];
      if (!(Math.abs(product) < Float.POSITIVE_INFINITY)) special += product;
      if (product == 0) {
        zeros = true;
      } else {
        products = true;
        largest = Math.max(largest, a.exponents[k] + b.exponents[k]);
      }
    }
    if (special != 0) return special == special ? (float) special : NAN;
    if (!products && !floor) return old;
    if (largest == NONE) return 0;
    if (floor && zeros) largest = Math.max(largest, ZERO - scale);
    double unit = Math.scalb(1.0, FRACTION - largest);
    long total = (long) (Math.scalb((double) old, -scale) * unit);
    for (int k = 0; k < depth; k++) total += (long) (a.values[k] * b.values[k] * unit);
    return TotalRounding.of(Math.scalb((double) total, largest - FRACTION + scale), DotModel.Rounding.F32);
  }
}
