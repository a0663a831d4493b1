package tilewright.sm90;

import tilewright.async.collective.ClusterTiles;
import tilewright.async.collective.GroupedTiles;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/** Which rows of A are multiplied with which matrix B: experts and their tokens. */
public enum Grouping {
  /** Each batch entry of A with that of B. */
  BATCH {
    @Override
    GroupedTiles of(Scope k, ClusterTiles tiles) {
      return GroupedTiles.batch(tiles);
    }
  },
  /** The rows of all groups one after the other; each tile's rows belong to one group, or to none. */
  CONTIGUOUS {
    @Override
    GroupedTiles of(Scope k, ClusterTiles tiles) {
      var group = k.global(TensorSpec.of("groups", ElementType.I32, "MB"));
      return GroupedTiles.contiguous(tiles, group);
    }

    @Override
    String batchOfB() {
      return "G";
    }
  },
  /** A batch entry for each group, of whose rows the first so many count. */
  MASKED {
    @Override
    GroupedTiles of(Scope k, ClusterTiles tiles) {
      var rows = k.global(TensorSpec.of("rows", ElementType.I32, "L"));
      return GroupedTiles.masked(tiles, rows);
    }
  };

  abstract GroupedTiles of(Scope k, ClusterTiles tiles);

  /** The extent that counts B's matrices. */
  String batchOfB() {
    return "L";
  }
}
