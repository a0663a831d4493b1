package tilewright.kernel.collective.attention;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;

/**
 * P on its way from the warps that have its columns to those that multiply it by V, by way of shared memory. Between a
 * store and the loads of it the warps that share rows have to meet, and before the next store, too.
 *
 * @param scoring S = Q·Kᵀ, as whose accumulators P comes
 * @param mixing O = P·V, whose operand A it becomes
 * @param tile (rows, keys, stages)
 */
public record SharedProbabilities(Scope k, TiledMma scoring, TiledMma mixing, SharedTensor tile) {
  /** Neighbours of a row that a thread stores at a time. */
  private static final int PAIR = 2;

  /** Stores a thread's part of P. */
  public void store(I32 thread, I32 stage, List<F32> probabilities) {
    var partition = scoring.accumulatorPartition();
    for (int v = 0; v < partition.values(); v += PAIR) {
      var place = partition.coordinate(thread, v);
      tile.at(place[0], place[1], stage).store(probabilities.get(v), probabilities.get(v + 1));
    }
  }

  /** Loads a k-slice of P as operand A. */
  public Fragment load(I32 thread, I32 stage, int slice) {
    var fragment = mixing.fragmentA(k);
    mixing.loadA(k, thread, tile, stage, slice, fragment);
    return fragment;
  }
}
