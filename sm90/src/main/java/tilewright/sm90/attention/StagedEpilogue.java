package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.StoredTotals;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Stores a warpgroup's 64 rows of O, some columns at a time, by way of shared memory, from where a tensor copy takes
 * them, and their statistics.
 *
 * @param o a stage a warpgroup
 * @param apart whether O has memory of its own, else it takes that of the queries, of which each warp read its own rows
 * @param stored where the rows' statistics go, if anywhere
 * @param rows of a warpgroup's O
 * @param lengths whether the launch reads lengths, for which ptxas spills a predicate that it computes ahead
 * @param anew whether threads find their places in O here, and keep them in no registers before
 * @param late whether threads find their places in one tensor of statistics here, too, as they do in two
 */
record StagedEpilogue(Scope k, TensorTile o, boolean apart, TileCoordinates coordinates, StoredTotals stored,
    FragmentRows rows, I32 lane, I32 group, boolean lengths, boolean anew,
    boolean late) implements AttentionEpilogue {
  private static final int QUAD = 4;

  @Override
  public void store(Fragment sums, List<OnlineSoftmax.Total> totals, Optional<F32> factor, AttentionTiles.Tile tile) {
    AttentionEpilogue.divide(k, rows, sums, totals, factor);
    var row = coordinates.packing().rows(tile.query()).plus(group.times(WgmmaAtom.M));
    int columns = Math.toIntExact(o.shared().layout().shape().mode(1).size());
    var here = anew ? Shuffle.own(k, lane, Warpgroup.SIZE - 1) : lane;
    for (int first = 0; first < rows.partition().tile().get(1); first += columns) {
      storeColumns(here, rows.values(k, sums), first, columns, row, tile);
    }
    if (stored.any()) storeStatistics(here, totals, row, tile);
  }

  private void storeColumns(I32 here, List<F32> values, int first, int columns, I32 row, AttentionTiles.Tile tile) {
    if (apart) {
      drain();
      meet();
    }
    // Values of a thread go from column to column in the end.
    long width = rows.partition().tile().get(1);
    int beside = rows.neighbour();
    for (int value = (int) (first * values.size() / width); value < (first + columns) * values.size() / width;
        value++) {
      if (value / beside % 2 > 0) continue;
      var at = rows.partition().coordinate(here, value);
      o.shared().at(at[0], at[1].plus(-first), group).store(values.get(value), values.get(value + beside));
    }
    BulkCopy.publish(k);
    meet();
    k.when(lane.equalTo(0), () -> {
      o.store(k, group, coordinates.queries(tile, row, k.constant(first)));
      BulkCopy.commit(k);
    });
  }

  private void storeStatistics(I32 here, List<OnlineSoftmax.Total> totals, I32 firstRow, AttentionTiles.Tile tile) {
    var packing = coordinates.packing();
    var sequence = stored.map(tensor -> tensor.part(0, tile.sequence().firstQuery(), tile.sequence().queries()));
    // Known before the loop over the keys, places in two tensors would take registers meanwhile.
    boolean settles = late || stored.tensors().size() > 1;
    for (int row = 0; row < totals.size(); row++) {
      var total = totals.get(row);
      var at = settles ? firstRow.plus(rows.row(here.settled(), row)).settled() : firstRow.plus(rows.row(here, row));
      var query = packing.query(at);
      var head = packing.head(tile.head(), at);
      var place = sequence.at(tensor -> tensor.at(query, head, coordinates.entry(tile)));
      sequence.of(total).forEach(F32::register);
      var first = (lengths || settles ? lane.settled() : lane).modulo(QUAD).equalTo(0);
      k.when(first.and(place.inside()).and(packing.exists(at)), () -> place.store(total));
    }
  }

  private void meet() {
    k.barrier(group.plus(1), Warpgroup.SIZE);
  }

  @Override
  public void drain() {
    k.when(lane.equalTo(0), () -> BulkCopy.waitForReads(k, 0));
  }
}
