package tilewright.kernel.collective.attention;

import tilewright.kernel.F32;
import tilewright.kernel.I32;

/** Ready-made functions of scores, beside {@link ScoreMod#softcap}. */
public final class Scores {
  private Scores() {}

  /** ALiBi: adds slope · (k − q), with slopes 2^(−8 (h + 1) / heads). */
  public static ScoreMod alibi(int heads) {
    if (heads < 1) throw new IllegalArgumentException("invalid ALiBi of " + heads + " heads: at least 1");
    return (score, b, h, q, k) ->
        k.minus(q).toF32().fma(h.plus(1).toF32().times(-8f / heads).exp2(), score);
  }

  /** ALiBi with given slopes of (heads). */
  public static ScoreMod alibi(CapturedTensor slopes) {
    return (score, b, h, q, k) -> k.minus(q).toF32().fma(slopes.at(h), score);
  }

  /** Adds a bias of (queries, keys), (heads, queries, keys) or (batch, heads, queries, keys). */
  public static ScoreMod bias(CapturedTensor bias) {
    return switch (bias.rank()) {
      case 2 -> (score, b, h, q, k) -> score.plus(bias.at(q, k));
      case 3 -> (score, b, h, q, k) -> score.plus(bias.at(h, q, k));
      case 4 -> (score, b, h, q, k) -> score.plus(bias.at(b, h, q, k));
      default -> throw new IllegalArgumentException("bias " + bias.name() + " has rank " + bias.rank() + ": 2 to 4");
    };
  }

  /**
   * Adds a number for each head and distance k − q (T5's relative position bias): a table of (heads, queries + keys −
   * 1), from distance 1 − queries on.
   */
  public static ScoreMod relative(CapturedTensor table, int queries) {
    requireRank(table, 2);
    return (score, b, h, q, k) -> score.plus(table.at(h, k.minus(q).plus(queries - 1)));
  }

  /**
   * Like {@link #relative(CapturedTensor, int)}, from a table of (heads, buckets).
   *
   * @param buckets the bucket of each distance: integers of (queries + keys − 1), from distance 1 − queries on
   */
  public static ScoreMod relative(CapturedTensor table, CapturedTensor buckets, int queries) {
    requireRank(table, 2);
    return (score, b, h, q, k) -> score.plus(table.at(h, buckets.integerAt(k.minus(q).plus(queries - 1))));
  }

  private static void requireRank(CapturedTensor table, int rank) {
    if (table.rank() != rank) {
      throw new IllegalArgumentException("table " + table.name() + " has rank " + table.rank() + ": " + rank);
    }
  }

  /**
   * Scores bent into ±{@code cap} by the tanh of the special function units, which is off by 2⁻¹¹ of the cap and takes
   * fewer instructions than {@link ScoreMod#softcap}.
   */
  public static ScoreMod softcapApproximate(float cap) {
    if (!(cap > 0)) throw new IllegalArgumentException("invalid softcap " + cap + ": it must be positive");
    return new ScoreMod() {
      @Override
      public F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k) {
        return score.times(1 / cap).tanh().times(cap);
      }

      @Override
      public Sloped sloped(F32 score, I32 b, I32 h, I32 q, I32 k) {
        var tanh = score.times(1 / cap).tanh();
        return new Sloped(tanh.times(cap), tanh.negated().fma(tanh, tanh.constant(1)), true);
      }
    };
  }
}
