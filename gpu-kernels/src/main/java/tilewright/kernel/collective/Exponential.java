package tilewright.kernel.collective;

import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/** How e^x is computed for x of 0 or less, −∞ and NaN among them. */
public enum Exponential {
  /** {@code ex2} of a product, whose rounding alone costs 2⁻²⁴ of the result for each unit of x. */
  QUICK {
    @Override
    public F32 of(F32 x) {
      return x.exp();
    }

    @Override
    public F32 times(F32 x, F32 factor) {
      return of(x).times(factor);
    }

    @Override
    public F32 times(F32 x, F32 factor, F32 rest) {
      return times(x, factor);
    }
  },

  /** Off by less than a unit in the last place, whatever x is; by less than one and a half where subnormal. */
  PRECISE {
    @Override
    public F32 of(F32 x) {
      var parts = Parts.of(x);
      return Parts.grown(parts.power(0), parts.r());
    }

    @Override
    public F32 times(F32 x, F32 factor) {
      var parts = Parts.of(x);
      return Parts.grown(parts.power(factor), parts.r());
    }

    @Override
    public F32 times(F32 x, F32 factor, F32 rest) {
      var parts = Parts.of(x);
      return Parts.grown(parts.power(factor), parts.r(rest));
    }
  };

  /** The cheapest exponential whose error does not show in a result of that type. */
  public static Exponential showingIn(ElementType result) {
    return result.bits() > 16 ? PRECISE : QUICK;
  }

  /** e^x, 0 where that is below 2⁻¹²⁶. */
  public abstract F32 of(F32 x);

  /** e^x · {@code factor}; where PRECISE and the factor is 1 at most, subnormal ones too. */
  public abstract F32 times(F32 x, F32 factor);

  /** e^x · {@code factor} · (1 + {@code rest}), the rest being what rounding has taken from the factor. */
  public abstract F32 times(F32 x, F32 factor, F32 rest);

  /**
   * x = n · ln 2 + r with a whole n and |r| ≤ ln 2 / 2 (Cody and Waite, 1980). Of n {@code ex2} is exact, and
   * e^r = 1 + p is never rounded by itself.
   *
   * @param shifted n and {@link #INTEGERS}
   * @param most of r, x less n times the first bits of ln 2, which is exact
   */
  private record Parts(F32 shifted, F32 n, F32 most) {
    /** Its exponential is 0, with the headroom too. */
    private static final float LEAST = -110;
    /** A number around which neighbouring FP32 values are 1 apart. */
    private static final float INTEGERS = 0x1.8p23f;
    private static final float LOG2_E = 1.44269504f;
    private static final float LN_2_FIRST = 0x1.62e4p-1f;
    private static final float LN_2_REST = 1.42860677e-6f;
    /** The part of the binary exponent that moves from the factor to the power, to keep the power a normal number. */
    private static final int HEADROOM = 24;

    static Parts of(F32 x) {
      var bounded = x.max(x.constant(LEAST));
      var shifted = bounded.fma(LOG2_E, INTEGERS);
      var n = shifted.plus(-INTEGERS);
      return new Parts(shifted, n, n.fma(x.constant(-LN_2_FIRST), bounded));
    }

    F32 r() {
      return n.fma(n.constant(-LN_2_REST), most);
    }

    /** Returns the remainder with a term so small that its exponential is 1 more. */
    F32 r(F32 little) {
      return n.fma(n.constant(-LN_2_REST), little).plus(most);
    }

    /** 2^(n + {@code more}). */
    F32 power(int more) {
      return shifted.plus(more - INTEGERS).exp2();
    }

    /** 2^n · {@code factor}. */
    F32 power(F32 factor) {
      return power(HEADROOM).times(factor.times(0x1p-24f));
    }

    /** Multiplies by e^r: p = r + r² · q(r), where q is a least-maximum fit, error of e^r 2⁻²⁸. */
    static F32 grown(F32 power, F32 r) {
      var q = r.polynomial(1.381460888e-3f, 8.368711941e-3f, 4.166838757e-2f, 0.1666652067f, 0.4999999345f);
      return power.fma(q.times(r).fma(r, r), power);
    }
  }
}
