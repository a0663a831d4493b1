package tilewright.sm100;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.collective.CtaGroups;
import tilewright.sm100.collective.TensorMemoryEpilogue;

/**
 * The first rungs of the Blackwell GEMM: one thread copies and multiplies, ahead of itself by as many stages as there
 * are but one; then all 128 threads write the tile out. A CTA has one tile.
 */
public record SingleThreadGemm(Sm100GemmConfig config) implements Kernel {
  @Override
  public String name() {
    return "sm100_single_thread_gemm_" + config.types().name();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(TensorMemoryEpilogue.THREADS);
    var warp = Shuffle.first(k, thread.dividedBy(Warp.SIZE), TensorMemoryEpilogue.WARPS - 1);
    var first = thread.equalTo(0);
    var cluster = Cluster.of(k, new ClusterShape(1, 1, 1));
    var mainloop = config.products(k, new CtaGroups(k, cluster.rank(), 1, 1));
    var c = TensorMemoryEpilogue.of(k, Epilogue.scaled(config.types().output()), 1, config.c(), config.tileN(), 2);
    var grid = config.grid(cluster, c.extents());
    k.leave(grid.count().lessThan(1));
    var ring = Pipeline.ring(k, config.stages(), first, 1, 1);
    var done = Pipeline.ring(k, 1, first, 1, 1);
    k.when(first, () -> Mbarrier.publish(k));
    var memory = TensorMemory.allocate(k, 1, config.allocated(mainloop), warp.equalTo(0), cluster::meet);
    var sums = memory.take(config.tileN());

    var tile = grid.tile(k.blockX(), mainloop.range());
    var steps = tile.k().steps();
    var finished = done.consumer();
    k.when(first, () -> {
      var filled = ring.producer();
      var used = ring.consumer();
      int ahead = config.stages() - 1;
      k.loop(steps.min(ahead), step -> mainloop.load(filled, step, tile));
      k.loop(steps, step -> {
        k.when(step.plus(ahead).lessThan(steps), () -> mainloop.load(filled, step.plus(ahead), tile));
        mainloop.multiply(used, step, sums);
      });
      mainloop.groups().commitToGroup(finished.full());
    });
    finished.awaitFull();
    TensorFence.afterSync(k);
    c.store(thread, warp, sums, () -> {}, tile);
    c.drain(first);
    memory.release(cluster::meet);
  }
}
