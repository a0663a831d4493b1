package tilewright.sm90;

import java.util.Optional;
import tilewright.async.schedule.GroupedTiles;
import tilewright.async.schedule.MaskedTiles;
import tilewright.async.schedule.PersistentTiles;
import tilewright.async.schedule.RaggedTiles;
import tilewright.async.schedule.TileGrid;
import tilewright.async.schedule.TileScheduler;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/** The assignment of rows of A to matrices B: experts and their tokens. */
public enum Grouping {
  /** Each batch entry of A with that of B. */
  BATCH {
    @Override
    Optional<GlobalTensor> declare(Scope k) {
      return Optional.empty();
    }

    @Override
    TileScheduler tiles(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups) {
      return PersistentTiles.strided(grid, range);
    }
  },
  /** The rows of all groups one after the other; each tile's rows belong to one group, or to none. */
  CONTIGUOUS {
    @Override
    Optional<GlobalTensor> declare(Scope k) {
      return Optional.of(k.global(TensorSpec.of("groups", ElementType.I32, "MB")));
    }

    @Override
    TileScheduler tiles(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups) {
      return new GroupedTiles(PersistentTiles.strided(grid, range), groups.orElseThrow());
    }

    @Override
    String batchOfB() {
      return "G";
    }
  },
  /** A batch entry for each group, of whose rows the first so many count. */
  MASKED {
    @Override
    Optional<GlobalTensor> declare(Scope k) {
      return Optional.of(k.global(TensorSpec.of("rows", ElementType.I32, "L")));
    }

    @Override
    TileScheduler tiles(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups) {
      return new MaskedTiles(grid, range, groups.orElseThrow());
    }
  },
  /** The rows of all groups one after the other, of which each ends at any row. */
  RAGGED {
    @Override
    Optional<GlobalTensor> declare(Scope k) {
      return Optional.of(k.global(TensorSpec.of("ends", ElementType.I32, "G")));
    }

    @Override
    TileScheduler tiles(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups) {
      return new RaggedTiles(grid, range, groups.orElseThrow());
    }

    @Override
    String batchOfB() {
      return "G";
    }
  };

  /** Declares the tensor that says which rows are of which group, if there is one. */
  abstract Optional<GlobalTensor> declare(Scope k);

  abstract TileScheduler tiles(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups);

  /** The extent that counts B's matrices. */
  String batchOfB() {
    return "L";
  }
}
