package tilewright.kernel.collective.attention;

import java.util.Optional;
import tilewright.kernel.Derivative;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * A change of the scaled score of query {@code q} and key {@code k} of head {@code h} of batch entry {@code b}, both
 * counted from their sequence's begin: a Java lambda that is traced into the kernel (FlexAttention's score_mod).
 */
@FunctionalInterface
public interface ScoreMod {
  F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k);

  /**
   * A changed score and its derivative by the score before.
   *
   * @param slope a constant where tracing knows it, such as 1 for a bias
   * @param finite whether the slope is finite wherever the score is
   */
  record Sloped(F32 value, F32 slope, boolean finite) {
    /** This where the key is seen, elsewhere −∞. */
    Sloped where(Pred seen) {
      return new Sloped(value.where(seen, value.constant(Float.NEGATIVE_INFINITY)), slope, finite);
    }

    /**
     * The gradient by the score before, given that by the changed one: 0 where that is 0, as it is for hidden keys,
     * even if the slope there is infinite.
     */
    public F32 gradient(F32 changed) {
      var product = product(changed, slope);
      return finite ? product : product.where(changed.notEqualTo(0), changed);
    }
  }

  /**
   * The changed score and its derivative, which backward kernels need.
   *
   * @throws tilewright.kernel.TraceException where {@link Derivative} has none; overriding this method gives one
   */
  default Sloped sloped(F32 score, I32 b, I32 h, I32 q, I32 k) {
    var input = score.settled();
    var value = apply(input, b, h, q, k);
    var slope = Derivative.of(value, input);
    return new Sloped(value, slope, slope.known().isPresent());
  }

  /** Scores bent into ±{@code cap}: cap · tanh(score / cap), by 1 − 2/(1 + e^2x), which is off by 2⁻²² of the cap. */
  static ScoreMod softcap(float cap) {
    float twice = 2 / cap;
    return new ScoreMod() {
      @Override
      public F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k) {
        return score.times(twice).exp().plus(1).reciprocal().fma(-2 * cap, cap);
      }

      /** By tanh′ = 1 − tanh², from the capped score. */
      @Override
      public Sloped sloped(F32 score, I32 b, I32 h, I32 q, I32 k) {
        var capped = apply(score, b, h, q, k);
        var tanh = capped.times(1 / cap);
        return new Sloped(capped, tanh.negated().fma(tanh, tanh.constant(1)), true);
      }
    };
  }

  /** This change, then another. */
  default ScoreMod then(ScoreMod next) {
    var first = this;
    return new ScoreMod() {
      @Override
      public F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k) {
        return next.apply(first.apply(score, b, h, q, k), b, h, q, k);
      }

      @Override
      public Sloped sloped(F32 score, I32 b, I32 h, I32 q, I32 k) {
        var inner = first.sloped(score, b, h, q, k);
        var outer = next.sloped(inner.value, b, h, q, k);
        return new Sloped(outer.value, product(inner.slope, outer.slope), inner.finite && outer.finite);
      }
    };
  }

  private static F32 product(F32 a, F32 slope) {
    if (slope.known().equals(Optional.of(1f))) return a;
    return a.known().equals(Optional.of(1f)) ? slope : a.times(slope);
  }
}
