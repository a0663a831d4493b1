package tilewright.kernels.attention.appending;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.reference.Rotation;

/**
 * The tokens of each sequence that attention has as its queries, before their keys and values are in the cache.
 *
 * @param q (B,Sq,H,D), where queries are turned too
 * @param k (B,Sq,Hk,D)
 * @param v (B,Sq,Hk,Dv)
 * @param rotary the embedding of keys and queries
 */
public record NewTokens(Optional<View> q, View k, View v, Rotary rotary) {

  /**
   * A rotary embedding of the first columns of a head.
   *
   * @param columns that are turned: a multiple of 16
   * @param positions rows of tables "C" and "T" (positions, columns/2) of FP32, the cosines and sines
   */
  public record Rotary(Rotation rotation, int columns, int positions) {
    /** No embedding. */
    public static final Rotary NONE = new Rotary(Rotation.NONE, 0, 0);

    public Rotary {
      boolean turns = rotation != Rotation.NONE;
      if (columns < 0 || columns % RowPart.UNIT != 0 || turns != columns > 0 || positions < 0) {
        throw new IllegalArgumentException("invalid embedding of " + columns + " columns at " + positions
            + " positions: a multiple of " + RowPart.UNIT + ", 0 for none");
      }
    }
  }

  /** Dense tensors in "newQ", "newK" and "newV". */
  public static NewTokens dense(Sizes s, Rotary rotary) {
    return new NewTokens(Optional.of(View.bshd("newQ", s.queries(), s.heads(), s.headDim())),
        View.bshd("newK", s.queries(), s.keyHeads(), s.headDim()),
        View.bshd("newV", s.queries(), s.keyHeads(), s.valueDim()), rotary);
  }

  /** Returns these without their queries. */
  public NewTokens withoutQueries() {
    return new NewTokens(Optional.empty(), k, v, rotary);
  }

  LaunchArguments addTo(LaunchArguments arguments, Sizes s) {
    q.ifPresent(view -> arguments.tensor("newQ", tensor(view, s.batch(), s.queries(), s.heads(), s.headDim())));
    var angles = List.of((long) rotary.positions, rotary.columns / 2L);
    for (var table : List.of("C", "T")) {
      arguments.tensor(table, new LaunchArguments.Tensor(table, 0, angles, List.of(angles.getLast(), 1L)));
    }
    return arguments.tensor("newK", tensor(k, s.batch(), s.queries(), s.keyHeads(), s.headDim()))
        .tensor("newV", tensor(v, s.batch(), s.queries(), s.keyHeads(), s.valueDim()));
  }

  static LaunchArguments.Tensor tensor(View view, long entries, long rows, long heads, long dim) {
    return new LaunchArguments.Tensor(view.buffer(), view.offset(), List.of(entries, rows, heads, dim),
        List.of(view.batch(), view.sequence(), view.head(), view.dim()));
  }
}
