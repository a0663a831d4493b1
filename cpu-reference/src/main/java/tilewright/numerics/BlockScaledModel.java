package tilewright.numerics;

/**
 * The arithmetic of {@code tcgen05.mma} with block scales, as sf-tensor found it on a B200. An instruction truncates
 * the accumulator and its products, scales included, at one place toward zero, adds the rest exactly, and truncates the
 * sum to FP32. Instructions follow each other along k.
 */
public enum BlockScaledModel {
  /**
   * {@code kind::mxf8f6f4}: every product is cut by itself, as by {@code kind::f8f6f4}, where all scales are one; that
   * zeros count there as 2^-133 shows in no sum, as no product is as small.
   */
  MXF8F6F4(32),
  /** {@code kind::mxf4}: sixteen products of e2m1 are added before they are cut. */
  MXF4(64),
  /** {@code kind::mxf4nvf4} with scales of type UE4M3: four or sixteen are added before they are cut. */
  NVF4(64),
  /** {@link #MXF4} on SM103, 96 products at once: taken to add two groups more, as nobody has published its sums. */
  MXF4_DEEP(96),
  /** {@link #NVF4} on SM103, likewise. */
  NVF4_DEEP(96);

  private static final int GROUP = 16;
  private static final int QUARTER = 4;
  private static final int FRACTION = 25;
  private static final int GROUP_FRACTION = 35;
  /** Bits below the largest product, where that is larger than the accumulator. */
  private static final int PRODUCT_FRACTION = 39;
  private static final double LEAST_GROUP = 0x1p-174;
  private static final int NONE = Integer.MIN_VALUE / 2;

  private final int depth;

  BlockScaledModel(int depth) {
    this.depth = depth;
  }

  /** {@code c + Σ x·y}, scales included, in instructions of increasing k. */
  public float dot(float c, ScaledFactors x, ScaledFactors y) {
    if (x.count() != y.count()) {
      throw new IllegalArgumentException("a dot product needs equally many factors, got " + x.count() + " and "
          + y.count());
    }
    float sum = c;
    for (int from = 0; from < x.count(); from += depth) {
      sum = new Step(sum, x, y, from, Math.min(x.count(), from + depth)).sum(this);
    }
    return sum;
  }

  /** An instruction. Terms are exact in FP64: they have at most 24 bits, and exponents above -600. */
  private record Step(float c, ScaledFactors x, ScaledFactors y, int from, int end) {

    float sum(BlockScaledModel kind) {
      for (int k = from; k < end; k++) if (Double.isNaN(x.scale(k) * y.scale(k))) return Float.NaN;
      int product = largest(from, end);
      // Without products the accumulator stays, as does one that is no number.
      if (product == NONE || !Float.isFinite(c)) return c;
      if (kind == MXF8F6F4) {
        int quantum = Math.max(product, ofC()) - FRACTION;
        return single(cut(c, quantum) + runs(1, quantum), quantum);
      }
      return kind == NVF4 || kind == NVF4_DEEP ? ofNvf4(product) : ofMxf4(product);
    }

    private float ofNvf4(int product) {
      int quantum = quantum(product);
      return single(cut(c, quantum) + runs(ofC() >= product ? GROUP : QUARTER, quantum), quantum);
    }

    /** A sum that is subnormal is made again without tiny groups that have not the largest scale. */
    private float ofMxf4(int product) {
      int quantum = quantum(product);
      float sum = groups(quantum, NONE);
      return sum != 0 && Math.abs(sum) < Float.MIN_NORMAL ? groups(quantum, largestScale()) : sum;
    }

    private int quantum(int product) {
      return ofC() >= product ? ofC() - GROUP_FRACTION
          : Math.max(Math.max(product, ofC()) - PRODUCT_FRACTION, largestScale() - GROUP_FRACTION);
    }

    private float groups(int quantum, int needed) {
      long sum = cut(c, quantum);
      for (int g = from; g < end; g += GROUP) {
        int after = Math.min(end, g + GROUP);
        double group = exact(g, after);
        if (scale(g) < needed && Math.abs(group) < LEAST_GROUP) continue;
        // A group below the accumulator is cut where the accumulator would be.
        int own = ofC() >= largest(g, after) ? Math.max(quantum, ofC() - GROUP_FRACTION) : quantum;
        sum += cut(group, own) << own - quantum;
      }
      return single(sum, quantum);
    }

    private long runs(int length, int quantum) {
      long sum = 0;
      for (int k = from; k < end; k += length) sum += cut(exact(k, Math.min(end, k + length)), quantum);
      return sum;
    }

    /** Products that share their scales. */
    private double exact(int begin, int after) {
      double sum = 0;
      for (int k = begin; k < after; k++) sum += x.value(k) * y.value(k);
      return sum * x.scale(begin) * y.scale(begin);
    }

    private boolean isZero(int k) {
      return x.value(k) * y.value(k) * x.scale(k) * y.scale(k) == 0;
    }

    private int scale(int k) {
      return x.scaleExponent(k) + y.scaleExponent(k);
    }

    /** The largest sum of exponents of a product other than zero. */
    private int largest(int begin, int after) {
      int largest = NONE;
      for (int k = begin; k < after; k++) {
        if (!isZero(k)) largest = Math.max(largest, x.exponent(k) + y.exponent(k) + scale(k));
      }
      return largest;
    }

    private int largestScale() {
      int largest = NONE;
      for (int k = from; k < end; k++) if (!isZero(k)) largest = Math.max(largest, scale(k));
      return largest;
    }

    private int ofC() {
      return c == 0 ? NONE : Math.max(Math.getExponent(c), Float.MIN_EXPONENT);
    }
  }

  /** Whole multiples of a power of two, toward zero. */
  private static long cut(double value, int quantum) {
    return (long) Math.scalb(value, -quantum);
  }

  /** Toward zero, but infinite beyond the largest FP32 number; what is cut to nothing has no sign. */
  private static float single(long sum, int quantum) {
    double exact = Math.scalb((double) sum, quantum);
    var rounding = Math.abs(exact) >= 0x1p128 ? Rounding.NEAREST_AWAY : Rounding.TOWARD_ZERO;
    return 0f + (float) ElementType.F32.toDouble(ElementType.F32.fromDouble(exact, rounding));
  }
}
