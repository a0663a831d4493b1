package tilewright.kernel.collective.attention;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.numerics.ElementType;

/**
 * ALiBi as flash-attn computes it: subtracts slope · |q + keys − queries − k|, where the last query is aligned with the
 * last key. The launch gives the slopes, of heads or of heads in each batch entry: one kernel serves both.
 *
 * @param packed whether sequences lie one after the other, whose lengths are read
 */
public record AlibiAtLaunch(boolean packed) implements ScoreMod {
  /** The buffer of the slopes. */
  public static final String SLOPES = "slopes";
  /** The argument with the slopes from one batch entry to the next: 0 where they share them. */
  public static final String PER_BATCH = "slopesPerBatch";
  /** The argument with the number of keys minus that of queries. */
  public static final String SHIFT = "alibiShift";

  private static final CapturedTensor OF_HEADS = CapturedTensor.of(SLOPES, ElementType.F32, 1);
  private static final CapturedTensor QUERIES = CapturedTensor.of("boundsQ", ElementType.I32, 1);
  private static final CapturedTensor KEYS = CapturedTensor.of("boundsK", ElementType.I32, 1);

  /**
   * Returns a change with this function and its data, for sequences of fixed lengths.
   *
   * @param slopes elements of the buffer
   */
  public static Modification of(long slopes, int perBatch, int queries, int keys) {
    return Modification.NONE.then(new AlibiAtLaunch(false))
        .with(data(slopes, perBatch).and(SHIFT, (float) (keys - queries)));
  }

  /**
   * Like {@link #of}, for packed sequences.
   *
   * @param queries the buffer of the cumulated lengths of queries; likewise {@code keys}
   */
  public static Modification packed(long slopes, int perBatch, String queries, String keys, int sequences) {
    return Modification.NONE.then(new AlibiAtLaunch(true)).with(data(slopes, perBatch)
        .and(bounds(QUERIES, queries, sequences)).and(bounds(KEYS, keys, sequences)));
  }

  private static Captures data(long slopes, int perBatch) {
    return Captures.NONE.and(Captures.Given.dense(OF_HEADS, slopes)).and(PER_BATCH, perBatch);
  }

  private static Captures.Given bounds(CapturedTensor tensor, String buffer, int sequences) {
    var lengths = tensor.dense(sequences + 1L);
    return new Captures.Given(tensor,
        new LaunchArguments.Tensor(buffer, 0, lengths.extents(), lengths.strides()));
  }

  @Override
  public F32 apply(F32 score, I32 b, I32 h, I32 q, I32 k) {
    var slope = OF_HEADS.at(b.times(b.parameter(PER_BATCH)).plus(h));
    var shift = packed ? length(KEYS, b).minus(length(QUERIES, b)).toF32() : score.parameter(SHIFT);
    return q.minus(k).toF32().plus(shift).magnitude().fma(slope.negated(), score);
  }

  private static I32 length(CapturedTensor bounds, I32 b) {
    return bounds.integerAt(b.plus(1)).minus(bounds.integerAt(b));
  }
}
