package tilewright.kernels.epilogue;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;

/**
 * The lanes of a warp that share a row, or a column, of a tile: found from the thread-value layout, one bit of the
 * lane's number after the other.
 *
 * @param masks bits whose lanes share it
 */
record LaneReduction(List<Integer> masks) {
  static LaneReduction of(Partition partition, Epilogue.Along along) {
    long height = partition.tile().getFirst();
    var masks = new ArrayList<Integer>();
    for (int bit = 1; bit < Warp.SIZE; bit *= 2) {
      long step = partition.layout().mode(0).apply(bit);
      boolean down = step % height != 0;
      boolean right = step / height != 0;
      if (down && right) {
        throw new TraceException("lanes that differ in bit " + bit + " share neither rows nor columns of " + partition);
      }
      boolean shared = switch (along) {
        case ROWS -> !down;
        case COLUMNS -> !right;
        case ALL -> true;
      };
      if (shared) masks.add(bit);
    }
    return new LaneReduction(List.copyOf(masks));
  }

  /** Combines the lanes' values, and from one lane of those that share it the result in memory. */
  void into(Scope k, I32 thread, Element result, Reduction reduction, F32 value) {
    var all = all(k, reduction, value);
    all.register();
    k.when(isFirst(thread).and(result.inside()), () -> reduction.into(result, all));
  }

  /** Combines the values of the lanes that share it, in each of them. */
  F32 all(Scope k, Reduction reduction, F32 value) {
    var combined = value;
    for (int mask : masks) combined = reduction.combine(combined, Shuffle.butterfly(k, combined, mask));
    return combined;
  }

  /** True for one of the lanes that share it. */
  Pred isFirst(I32 thread) {
    return thread.and(masks.stream().mapToInt(m -> m).sum()).equalTo(0);
  }
}
