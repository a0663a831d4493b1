package tilewright.sm100.attention.backward;

import java.util.List;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.collective.WarpSync;

/**
 * The warpgroup that adds each tile's dQ to its accumulators in global memory: Tensor Memory → registers → shared
 * memory → bulk reduction. A thread has one row; each warp copies its rows without the others.
 *
 * @param thread its number in the warpgroup, of which {@code warp} is the warp
 */
record ReduceWarpgroup(Scope k, BackwardTiles tiles, BackwardMemory memory, BackwardSignals signals, I32 thread,
    I32 warp) {
  private static final int CHUNK = Sm100BackwardConfig.CHUNK;
  /** Columns that a thread has in registers at a time: few, so that it needs few. */
  private static final int COLUMNS = 2 * CHUNK;
  private static final int QUAD = 4;
  private static final int NAMED_BARRIER = 2;

  void reduce(KeyBlock block) {
    var dQFull = signals.dQFull().waiter();
    var leads = thread.modulo(Warp.SIZE).equalTo(0);
    var walk = block.walk();
    var turns = tiles.config().order().map(order -> order.turns(k));
    var shape = tiles.config().shape();
    k.loop(block.count(), _ -> {
      memory.forEachPartOfDQ(k, part -> {
        dQFull.await();
        TensorFence.afterSync(k);
        for (int first = 0; first < shape.columnsInMemory(); first += COLUMNS) {
          var loaded = load(first);
          if (first + COLUMNS == shape.columnsInMemory()) {
            TensorFence.beforeSync(k);
            WarpSync.once(k, thread, () -> tiles.groups().arriveAtFirst(signals.dQEmpty().barrier()));
          }
          // Here, so that the last blocks' additions overlap the loads.
          if (first == 0) turns.ifPresent(order -> k.when(part.equalTo(0), () -> await(order, block, walk.tile())));
          for (int group = 0; group < loaded.groups().size(); group++) {
            var chunk = part.times(shape.columnsInMemory() / CHUNK).plus(first / CHUNK + group);
            add(walk.tile(), chunk, k.constant(group % shape.staging()), loaded.group(group), leads);
          }
        }
      });
      turns.ifPresent(order -> release(order, walk.tile(), leads));
      walk.advance();
    });
    k.when(leads, () -> BulkCopy.waitForReads(k, 0));
  }

  /** Waits until it is this block's turn to add to a tile. */
  private void await(DeterministicOrder.Turns turns, KeyBlock block, KeyBlock.Tile tile) {
    k.when(thread.equalTo(0), () -> turns.await(block, tile, tiles.slot(tile)));
    meet();
  }

  /** Lets the next block add to a tile, once what all warps have added has arrived. */
  private void release(DeterministicOrder.Turns turns, KeyBlock.Tile tile, Pred leads) {
    k.when(leads, () -> BulkCopy.waitForWrites(k));
    meet();
    k.when(thread.equalTo(0), () -> turns.release(tile, tiles.slot(tile)));
  }

  private void meet() {
    k.barrier(k.constant(NAMED_BARRIER), Warpgroup.SIZE);
  }

  /** Columns of the thread's row of dQ, in a group for each chunk. */
  private Fragment load(int first) {
    var part = Fragment.of(k, PtxType.F32, COLUMNS / CHUNK, CHUNK);
    for (int chunk = 0; chunk < COLUMNS / CHUNK; chunk++) {
      TensorMemoryAccess.rows(CHUNK).load(k, memory.dQ(), warp, first + chunk * CHUNK,
          new Fragment(List.of(part.group(chunk))));
    }
    TensorFence.waitForLoads(k);
    return part;
  }

  /** Adds a chunk of the warp's rows. */
  private void add(KeyBlock.Tile tile, I32 chunk, I32 stage, List<Operand.Register> values, Pred leads) {
    // The chunk that was there before has been read.
    k.when(leads, () -> BulkCopy.waitForReads(k, tiles.config().shape().staging() - 1));
    k.warpBarrier();
    for (int column = 0; column < CHUNK; column += QUAD) {
      List<F32> quad = values.subList(column, column + QUAD).stream().map(k::result).toList();
      tiles.staging().at(thread, k.constant(column), stage).store(quad);
    }
    BulkCopy.publish(k);
    k.warpBarrier();
    k.when(leads, () -> {
      int chunks = tiles.config().shape().headDim() / tiles.groups().ctas() / CHUNK;
      var piece = tiles.groups().member().times(chunks).plus(chunk).times(Warpgroup.WARPS).plus(warp);
      var accumulators = tiles.accumulators().at(piece.times(Sm100BackwardConfig.PIECE),
          tiles.slot(tile), tile.head());
      BulkCopy.add(k, accumulators, tiles.staging().at(thread, k.constant(0), stage),
          k.constant(Sm100BackwardConfig.PIECE * Float.BYTES));
      BulkCopy.commit(k);
    });
  }
}
