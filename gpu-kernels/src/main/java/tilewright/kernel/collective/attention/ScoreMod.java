package tilewright.kernel.collective.attention;

import tilewright.kernel.F32;
import tilewright.kernel.I32;

/**
 * A change of the scaled score of query {@code q} and key {@code k} of head {@code h} of batch entry {@code b}, both
 * counted from their sequence's begin: a Java lambda that is traced into the kernel (FlexAttention's score_mod).
 */
@FunctionalInterface
public interface ScoreMod {
  F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k);

  /** Scores bent into ±{@code cap}: cap · tanh(score / cap), by 1 − 2/(1 + e^2x), which is off by 2⁻²² of the cap. */
  static ScoreMod softcap(float cap) {
    float twice = 2 / cap;
    return (score, b, h, q, k) ->
        score.times(twice).exp().plus(1).reciprocal().fma(-2 * cap, cap);
  }

  /** This change, then another. */
  default ScoreMod then(ScoreMod next) {
    return (score, b, h, q, k) -> next.apply(apply(score, b, h, q, k), b, h, q, k);
  }
}
