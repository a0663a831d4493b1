package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.merging.SplitStates;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Stores a split's rows of O in FP32, from registers: of one query and few heads, hardly any of a tile's rows exist.
 *
 * @param rows of a warpgroup's O
 */
record PartialEpilogue(Scope k, SplitStates states, FragmentRows rows, I32 lane, I32 group)
    implements AttentionEpilogue {
  private static final int QUAD = 4;

  @Override
  public void store(Fragment sums, List<OnlineSoftmax.Total> totals, Optional<F32> factor, AttentionTiles.Tile tile) {
    AttentionEpilogue.divide(k, rows, sums, totals, factor);
    var firstRow = states.packing().rows(tile.query()).plus(group.times(WgmmaAtom.M));
    var values = rows.values(k, sums);
    int beside = rows.neighbour();
    for (int number = 0; number < rows.count(); number++) {
      var ofThread = rows.of(number);
      var total = totals.get(number);
      states.stored().of(total).forEach(F32::register);
      var row = new SplitStates.Row(states, firstRow.plus(rows.row(lane, number)), tile);
      k.when(row.exists(), () -> {
        for (int value : ofThread) {
          if (value / beside % 2 > 0) continue;
          row.store(rows.column(lane).plus(rows.columnOffset(value)),
              List.of(values.get(value), values.get(value + beside)));
        }
        k.when(lane.modulo(QUAD).equalTo(0), () -> row.store(total));
      });
    }
  }

  /** Nothing passes through shared memory. */
  @Override
  public void drain() {}
}
