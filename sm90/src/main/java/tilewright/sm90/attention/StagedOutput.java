package tilewright.sm90.attention;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.BulkCopy;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TensorTile;

/**
 * A warpgroup's way out: 64 rows of O by way of shared memory, from where a tensor copy takes them, and their
 * logarithms.
 *
 * @param o a stage a warpgroup
 * @param rows of a warpgroup's O
 */
record StagedOutput(Scope k, TensorTile o, GlobalTensor lse, FragmentRows rows, I32 lane, I32 group) {
  private static final int QUAD = 4;

  /** Divides sums by their rows' sums of exponentials and stores them. */
  void store(Fragment sums, List<OnlineSoftmax.Total> totals, AttentionTiles.Tile tile) {
    rows.scale(k, sums, totals.stream().map(OnlineSoftmax.Total::inverse).toList());
    drain();
    meet();
    var values = rows.values(k, sums);
    for (int value = 0; value < values.size(); value += 2) {
      var at = rows.partition().coordinate(lane, value);
      o.shared().at(at[0], at[1], group).store(values.get(value), values.get(value + 1));
    }
    BulkCopy.publish(k);
    meet();
    var query = tile.query().plus(group.times(WgmmaAtom.M));
    k.when(lane.equalTo(0), () -> {
      o.store(k, group, query, k.constant(0), tile.head(), tile.batch());
      BulkCopy.commit(k);
    });
    storeLogarithms(totals, query, tile);
  }

  private void storeLogarithms(List<OnlineSoftmax.Total> totals, I32 query, AttentionTiles.Tile tile) {
    for (int row = 0; row < totals.size(); row++) {
      var log = totals.get(row).logSumExp();
      var place = lse.at(query.plus(rows.row(lane, row)), tile.head(), tile.batch());
      log.register();
      k.when(lane.modulo(QUAD).equalTo(0).and(place.inside()), () -> place.store(log));
    }
  }

  private void meet() {
    k.barrier(group.plus(1), WgmmaAtom.THREADS);
  }

  /** Waits until what was stored has been read from shared memory. */
  void drain() {
    k.when(lane.equalTo(0), () -> BulkCopy.waitForReads(k, 0));
  }
}
