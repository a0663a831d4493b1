package tilewright.sm90.attention;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.merging.ResultRows;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * A warpgroup's columns of O = P·V.
 *
 * @param p (row, key, stage) in shared memory
 * @param v (column, key, stage), the warpgroup's share
 * @param group number of the share
 */
record MlaOutput(Scope k, MlaConfig config, SharedTensor p, SharedTensor v, I32 lane, int group, TiledWgmma pv,
    FragmentRows rows, Fragment accumulators) {

  /** O before the first key. */
  static MlaOutput zero(Scope k, MlaConfig config, SharedTensor p, SharedTensor v, I32 lane, int group) {
    var pv = TiledWgmma.of(config.atomOfOutput(), p.layout(), v.layout(), 1);
    return new MlaOutput(k, config, p, v, lane, group, pv, FragmentRows.of(config.atomOfOutput().partition()),
        pv.accumulators(k));
  }

  /** Multiplies rows by a step's factors, where some factor of the warp's rows is not 1. */
  void rescale(List<F32> factors) {
    var step = new OnlineSoftmax.Step(List.of(), factors);
    k.when(step.rescales(k), () -> rows.scale(k, accumulators, factors));
  }

  /** Begins O += P·V of a stage. */
  void multiply(I32 stage) {
    WgmmaAtom.fence(k);
    pv.issue(k, k.constant(0), p.settled(), stage, v.settled(), stage, accumulators, true);
    WgmmaAtom.commit(k);
  }

  /**
   * Divides rows by their sums and stores them.
   *
   * @param inverses of the sums, one a row of the thread
   */
  void store(ResultRows results, Tile tile, List<F32> inverses) {
    rows.scale(k, accumulators, inverses);
    var values = rows.values(k, accumulators);
    var firstColumn = rows.column(lane.settled()).plus(group * config.share());
    int beside = rows.neighbour();
    for (int number = 0; number < rows.count(); number++) {
      var ofThread = rows.of(number);
      var row = row(results, tile, number);
      k.when(row.exists(), () -> {
        for (int value : ofThread) {
          if (value / beside % 2 > 0) continue;
          row.store(firstColumn.plus(rows.columnOffset(value)), List.of(values.get(value), values.get(value + beside)));
        }
      });
    }
  }

  /** The result's row of a row of the thread. */
  ResultRows.Row row(ResultRows results, Tile tile, int number) {
    // Known before the loop over the keys, places would take registers meanwhile.
    return results.row(tile, config.packing().rows(tile.query()).plus(rows.row(lane.settled(), number)).settled());
  }
}
