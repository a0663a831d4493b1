package tilewright.kernel.collective.attention;

import tilewright.kernel.F32;
import tilewright.kernel.I32;

/**
 * Scores bent into ±cap, as {@link ScoreMod#softcap} does, with a cap that the launch gives: one kernel serves every
 * cap.
 */
public record SoftcapAtLaunch() implements ScoreMod {
  /** The argument with the cap. */
  public static final String CAP = "softcap";
  /** The argument with 2 / cap. */
  public static final String RATE = "softcapRate";

  /** Returns a change with this function and its numbers. */
  public static Modification of(float cap) {
    return Modification.NONE.then(new SoftcapAtLaunch()).with(Captures.NONE.and(CAP, cap).and(RATE, 2 / cap));
  }

  @Override
  public F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k) {
    var cap = score.parameter(CAP);
    return score.times(score.parameter(RATE)).exp().plus(1).reciprocal().fma(cap.times(-2), cap);
  }

  /** By tanh′ = 1 − tanh², from the capped score. */
  @Override
  public Sloped sloped(F32 score, I32 b, I32 h, I32 q, I32 k) {
    var capped = apply(score, b, h, q, k);
    var tanh = capped.times(score.parameter(RATE).times(0.5f));
    return new Sloped(capped, tanh.negated().fma(tanh, tanh.constant(1)), true);
  }
}
