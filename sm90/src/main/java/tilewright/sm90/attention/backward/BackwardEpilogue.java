package tilewright.sm90.attention.backward;

import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.sm90.atom.WgmmaAtom;

/** A warpgroup's epilogue: dK and dV of its 64 keys, by way of K's and V's shared memory. */
record BackwardEpilogue(Scope k, Sm90BackwardConfig config, BackwardTiles tiles, I32 lane, I32 group) {
  private static final int ALL = 1;
  private static final int FIRST_OF_GROUPS = 2;

  void store(Fragment dK, Fragment dV, KeyBlock block) {
    // No warpgroup reads K any more.
    k.barrier(k.constant(ALL), config.shape().consumers() * Warpgroup.SIZE);
    var rowsOfK = FragmentRows.of(WgmmaAtom.accumulators(config.shape().headDim() / config.columnShares()));
    var rowsOfV = FragmentRows.of(WgmmaAtom.accumulators(config.shape().valueDim() / config.columnShares()));
    var scale = k.scalar("scale");
    var valuesOfK = rowsOfK.values(k, dK);
    for (int v = 0; v < valuesOfK.size(); v += 2) {
      var at = rowsOfK.partition().coordinate(lane, v);
      tiles.dK().shared().at(at[0], at[1], group)
          .store(valuesOfK.get(v).times(scale), valuesOfK.get(v + 1).times(scale));
    }
    var valuesOfV = rowsOfV.values(k, dV);
    for (int v = 0; v < valuesOfV.size(); v += 2) {
      var at = rowsOfV.partition().coordinate(lane, v);
      tiles.dV().shared().at(at[1], at[0], group).store(valuesOfV.get(v), valuesOfV.get(v + 1));
    }
    BulkCopy.publish(k);
    k.barrier(group.plus(FIRST_OF_GROUPS), Warpgroup.SIZE);
    k.when(lane.equalTo(0), () -> {
      var coordinates = config.coordinates(k);
      var row = block.firstKey().plus(config.firstKey(group));
      boolean shares = config.shape().sharesHeadDim();
      var zero = k.constant(0);
      var columnOfK = shares ? group.times(config.shape().headDim() / config.columnShares()) : zero;
      var columnOfV = shares ? group.times(config.shape().valueDim() / config.columnShares()) : zero;
      tiles.dK().store(k, group, coordinates.keys(block.itself(), row, columnOfK));
      tiles.dV().store(k, group, coordinates.values(block.itself(), row, columnOfV));
      BulkCopy.commit(k);
      BulkCopy.waitForReads(k, 0);
    });
  }
}
