package tilewright.sm100;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.PersistentTiles;
import tilewright.async.schedule.TileGrid;
import tilewright.async.schedule.TileScheduler;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.sm100.atom.Elect;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.collective.CancelledLaunches;
import tilewright.sm100.collective.CtaGroups;
import tilewright.sm100.collective.TensorMemoryEpilogue;

/**
 * C = f(A·Bᵀ), f being an epilogue, on SM100 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents,
 * either operand order, accumulated in Tensor Memory.
 *
 * <p>Four warps run the epilogue, one loads, one issues MMAs, one finds tiles: global → TMA → swizzled shared memory →
 * {@code tcgen05.mma} → Tensor Memory → registers → shared memory → TMA → global.
 *
 * @param neighbours along n that the epilogue reads at once: 2 where N is even, else 1
 */
public record Sm100Gemm(Sm100GemmConfig config, Epilogue epilogue, int neighbours) implements Kernel {
  private static final int LOAD = 4;
  private static final int MMA = 5;
  private static final int SCHEDULE = 6;
  private static final int STORE_STAGES = 2;

  /** C = alpha·A·Bᵀ. */
  public Sm100Gemm(Sm100GemmConfig config) {
    this(config, Epilogue.scaled(config.types().output()), 1);
  }

  @Override
  public String name() {
    return "sm100_gemm_" + config.types().name() + "_" + (config.aKMajor() ? "t" : "n")
        + (config.bKMajor() ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warp.SIZE * (SCHEDULE + 1));
    var warp = Shuffle.first(k, thread.dividedBy(Warp.SIZE), SCHEDULE);
    var first = thread.equalTo(0);
    var cluster = Cluster.of(k, new ClusterShape(config.cluster(), 1, 1));
    var groups = new CtaGroups(k, cluster.rank(), config.ctas(), config.cluster());
    var mainloop = config.mainloop(k, groups);
    var c = TensorMemoryEpilogue.of(k, epilogue, neighbours, config.c(), config.tileN(), STORE_STAGES);
    var ring = Pipeline.ring(k, config.stages(), first, 1, groups.count());
    var done = Pipeline.ring(k, config.accumulators(), first, 1, config.ctas() * TensorMemoryEpilogue.WARPS);
    var tiles = scheduler(config.grid(cluster, c.extents()), mainloop.range(), groups, first);
    k.when(first, () -> Mbarrier.publish(k));
    var memory = TensorMemory.allocate(k, config.ctas(), config.allocated(mainloop), warp.equalTo(MMA), cluster::meet);
    var accumulators = memory.take(config.columns());
    mainloop.take(memory);
    k.when(warp.lessThan(LOAD), () -> { // Four epilogue warps: Tensor Memory → registers → shared memory → C.
      var accumulator = done.consumer();
      tiles.forEachOfWarp(thread.modulo(Warp.SIZE).equalTo(0), tile -> {
        accumulator.awaitFull();
        TensorFence.afterSync(k);
        c.store(thread, warp, config.accumulator(accumulators, accumulator.stage()),
            () -> groups.arriveAtFirst(accumulator.empty()), tile);
        accumulator.advance();
      });
      c.drain(first);
    });
    k.when(warp.equalTo(LOAD), () -> k.when(Elect.one(k), () -> { // A, B → shared memory.
      var stage = ring.producer();
      tiles.forEach(tile -> mainloop.load(stage, tile));
    }));
    k.when(warp.equalTo(MMA), () -> k.when(Elect.one(k), () -> k.when(groups.isFirst(), () -> { // → Tensor Memory.
      var stage = ring.consumer();
      var accumulator = done.producer();
      tiles.forEach(tile -> {
        accumulator.awaitEmpty();
        TensorFence.afterSync(k);
        mainloop.multiply(stage, tile, config.accumulator(accumulators, accumulator.stage()));
        groups.commitToGroup(accumulator.full());
        accumulator.advance();
      });
    })));
    k.when(warp.equalTo(SCHEDULE), () -> k.when(Elect.one(k), tiles::schedule));
    memory.release(cluster::meet);
  }

  private TileScheduler scheduler(TileGrid grid, WorkTile.KRange range, CtaGroups groups, Pred first) {
    if (!config.dynamic()) return PersistentTiles.strided(grid, range);
    int readers = groups.blocks() * (TensorMemoryEpilogue.WARPS + 1) + groups.count();
    return new PersistentTiles(grid, range, CancelledLaunches.of(grid.cluster().k(), groups.blocks(),
        grid.cluster().rank().equalTo(0), first, readers, grid.count()));
  }
}
