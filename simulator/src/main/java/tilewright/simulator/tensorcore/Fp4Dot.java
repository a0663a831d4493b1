package tilewright.simulator.tensorcore;

import java.util.Arrays;
import tilewright.simulator.Fp4Model;

/**
 * The sum of one accumulator and 64 products of E2M1, of {@code kind::mxf4} and {@code mxf4nvf4}, in groups of sixteen
 * that share scales. Two published models, neither of which was compared with a device here. Sums of 96 products
 * (SM103) are taken to have two groups more, as nobody has published theirs.
 */
public final class Fp4Dot {
  public static final int DEPTH = 64;
  public static final int GROUP = 16;
  public static final int GROUPS = DEPTH / GROUP;
  private static final int QUARTER = 4;
  private static final int FRACTION = 35;
  private static final int FINE = 39;
  private static final int ZERO = -139;
  private static final int NONE = Integer.MIN_VALUE / 2;
  private static final int ZERO_FACTOR = -100;
  /** Products come in quarters, significands of scales in eighths. */
  private static final int PRODUCT_BITS = 8;
  private static final double TINY = 0x1p-174;

  private final Fp4Model model;
  private final ScaleFormat format;
  private final int groups;
  private final int[] quarters;
  private final int[] sums;
  private final int[] exponents;
  private final int[] eighths;
  private final int[] largest;

  /** Sums of 64 products. */
  public Fp4Dot(Fp4Model model, ScaleFormat format) {
    this(model, format, GROUPS);
  }

  /** Sums of a number of groups. */
  public Fp4Dot(Fp4Model model, ScaleFormat format, int groups) {
    this.model = model;
    this.format = format;
    this.groups = groups;
    quarters = new int[groups * GROUP / QUARTER];
    sums = new int[groups];
    exponents = new int[groups];
    eighths = new int[groups];
    largest = new int[groups];
  }

  /** One row of A or column of B: twice the values, which are whole, and the exponents, far below all for zeros. */
  public record Factor(int[] doubled, int[] exponents) {
    /** Zeros. */
    public Factor() {
      this(new int[DEPTH], new int[DEPTH]);
      Arrays.fill(exponents, ZERO_FACTOR);
    }

    public void set(int k, int bits, boolean negated) {
      int value = Fp4Dot.doubled(bits);
      doubled[k] = negated ? -value : value;
      exponents[k] = value == 0 ? ZERO_FACTOR : exponent(value);
    }

    /** Takes step {@code from} of another. */
    public void copy(int k, Factor other, int from) {
      doubled[k] = other.doubled[from];
      exponents[k] = other.exponents[from];
    }
  }

  /** Twice the value of a pattern. */
  private static int doubled(int bits) {
    int magnitude = switch (bits & 7) {
      case 0 -> 0;
      case 1 -> 1;
      case 2 -> 2;
      case 3 -> 3;
      case 4 -> 4;
      case 5 -> 6;
      case 6 -> 8;
      default -> 12;
    };
    return (bits & 8) != 0 ? -magnitude : magnitude;
  }

  /** The exponent of a number other than zero, from twice its value; that of the least normal for the subnormal. */
  private static int exponent(int doubled) {
    return Math.max(0, Integer.SIZE - 2 - Integer.numberOfLeadingZeros(Math.abs(doubled)));
  }

  /**
   * Adds the products.
   *
   * @param aScales the bits of A's scales, one a group
   * @param bScales the same of B's
   */
  public float add(float old, Factor a, Factor b, int[] aScales, int[] bScales) {
    if (old != old) return ScaledDot.NAN;
    for (int g = 0; g < groups; g++) {
      if (format.isNan(aScales[g]) || format.isNan(bScales[g])) return ScaledDot.NAN;
      exponents[g] = format.exponent(aScales[g]) + format.exponent(bScales[g]);
      eighths[g] = format.eighths(aScales[g]) * format.eighths(bScales[g]);
      sum(a, b, g);
    }
    if (Float.isInfinite(old)) return old;
    return model == Fp4Model.MMA_SIM ? aligned(old) : windowed(old);
  }

  private void sum(Factor a, Factor b, int g) {
    sums[g] = 0;
    int top = 2 * ZERO_FACTOR;
    for (int q = g * GROUP; q < (g + 1) * GROUP; q += QUARTER) {
      int sum = 0;
      for (int k = q; k < q + QUARTER; k++) {
        sum += a.doubled[k] * b.doubled[k];
        top = Math.max(top, a.exponents[k] + b.exponents[k]);
      }
      quarters[q / QUARTER] = sum;
      sums[g] += sum;
    }
    // A scale of zero makes all products of its group zero.
    largest[g] = top < 0 || eighths[g] == 0 ? NONE : top;
  }

  private static int exponentOf(float c) {
    return c == 0 ? NONE : Math.max(Math.getExponent(c), ScaledDot.LEAST);
  }

  /** A sum of products of a group, cut to a multiple of 2^quantum. */
  private long cut(int g, int sum, int quantum) {
    long value = (long) sum * eighths[g];
    int shift = exponents[g] - PRODUCT_BITS - quantum;
    if (shift >= 0) return value << shift;
    return shift < -Long.SIZE + 1 ? 0 : value < 0 ? -(-value >> -shift) : value >> -shift;
  }

  private static long cut(float c, int quantum) {
    return (long) Math.scalb((double) c, -quantum);
  }

  private static float rounded(long total, int quantum) {
    return TotalRounding.of(Math.scalb((double) total, quantum), DotModel.Rounding.F32);
  }

  /** MMA-Sim: groups count with the exponent of their scales, zero terms with one of their own. */
  private float aligned(float old) {
    int top = old == 0 ? ZERO : exponentOf(old);
    for (int g = 0; g < groups; g++) top = Math.max(top, largest[g] == NONE ? ZERO : exponents[g]);
    int quantum = top - FRACTION;
    long total = cut(old, quantum);
    for (int g = 0; g < groups; g++) total += cut(g, sums[g], quantum);
    return rounded(total, quantum);
  }

  /** sf-tensor: what is kept depends on whether the accumulator or the products have the largest exponent. */
  private float windowed(float old) {
    int product = NONE;
    int scale = NONE;
    for (int g = 0; g < groups; g++) {
      if (largest[g] == NONE) continue;
      product = Math.max(product, largest[g] + exponents[g]);
      scale = Math.max(scale, exponents[g]);
    }
    if (product == NONE) return old;
    int c = exponentOf(old);
    boolean accumulator = c >= product;
    int quantum = accumulator ? c - FRACTION : Math.max(Math.max(product, c) - FINE, scale - FRACTION);
    if (format == ScaleFormat.UE4M3) return byQuarters(old, quantum, !accumulator);
    float result = byGroups(old, c, quantum, NONE);
    return result != 0 && Math.abs(result) < Float.MIN_NORMAL ? byGroups(old, c, quantum, scale) : result;
  }

  private float byQuarters(float old, int quantum, boolean fine) {
    long total = cut(old, quantum);
    for (int g = 0; g < groups; g++) {
      if (!fine) {
        total += cut(g, sums[g], quantum);
        continue;
      }
      for (int q = 0; q < GROUP / QUARTER; q++) total += cut(g, quarters[g * GROUP / QUARTER + q], quantum);
    }
    return rounded(total, quantum);
  }

  /** @param least groups with a lower scale are dropped when they are tiny */
  private float byGroups(float old, int c, int quantum, int least) {
    long total = cut(old, quantum);
    for (int g = 0; g < groups; g++) {
      if (largest[g] == NONE) continue;
      double magnitude = Math.scalb((double) Math.abs(sums[g] * eighths[g]), exponents[g] - PRODUCT_BITS);
      if (exponents[g] < least && magnitude < TINY) continue;
      int own = c >= largest[g] + exponents[g] ? Math.max(quantum, c - FRACTION) : quantum;
      total += cut(g, sums[g], own) << own - quantum;
    }
    return rounded(total, quantum);
  }
}
