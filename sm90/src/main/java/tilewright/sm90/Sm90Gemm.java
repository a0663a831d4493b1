package tilewright.sm90;

import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.TileScheduler;
import tilewright.sm90.atom.ClusterBarrier;
import tilewright.sm90.atom.RegisterBudget;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.StagedEpilogue;
import tilewright.sm90.collective.TensorTile;
import tilewright.sm90.collective.TiledWgmma;

/**
 * C = alpha·A·Bᵀ + beta·C on SM90 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either operand
 * order, accumulated in single precision.
 *
 * <p>One warpgroup copies, the others multiply: global → TMA → swizzled shared memory, {@code stages} tiles deep →
 * {@code wgmma} → registers → global. CTAs stay and go from tile to tile.
 */
public record Sm90Gemm(Sm90GemmConfig config) implements Kernel {
  private static final int PRODUCER_REGISTERS = 40;
  private static final int CONSUMER_REGISTERS = 232;
  private static final int STORE_STAGES = 2;

  @Override
  public String name() {
    return "sm90_gemm_" + config.operand().text() + "_" + (config.aKMajor() ? "t" : "n")
        + (config.bKMajor() ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    var rank = k.cluster(config.cluster());
    k.blocksPerMultiprocessor(1);
    var a = TensorTile.of(k, config.a(), config.layoutA());
    var b = TensorTile.shared(k, config.b(), config.layoutB(), config.cluster());
    var epilogue = StagedEpilogue.of(k, k.scalar("alpha"), config.c(), config.consumers(), STORE_STAGES);
    var mma = TiledWgmma.of(config.operand(), config.layoutA(), config.layoutB(), config.consumers());
    var ring = Pipeline.of(k, config.stages(), thread.equalTo(0), config.consumers(), config.cluster());
    var steps = a.extent(1).ceilDiv(config.tileK());
    meet(k);

    var lane = thread.modulo(WgmmaAtom.THREADS);
    var group = Shuffle.first(k, thread.dividedBy(WgmmaAtom.THREADS), config.consumers());
    k.when(group.equalTo(config.consumers()), () -> {
      RegisterBudget.shrink(k, PRODUCER_REGISTERS);
      k.when(lane.equalTo(0), () -> {
        var stage = ring.producer();
        forEachTile(k, rank, epilogue, (m, n, batch) -> k.loop(steps, step -> {
          var landed = stage.acquire(a.bytes() + b.bytes());
          var depth = step.times(config.tileK());
          a.load(k, stage.stage(), landed, m, depth, batch);
          b.loadShare(k, rank, config.cluster(), stage.stage(), landed, n, depth, batch);
          stage.advance();
        }));
      });
    }, () -> {
      RegisterBudget.grow(k, CONSUMER_REGISTERS);
      var stage = ring.consumer();
      var done = ring.consumer();
      forEachTile(k, rank, epilogue, (m, n, batch) -> {
        var sums = mma.accumulators(k);
        k.loop(steps, step -> {
          stage.awaitFull();
          mma.multiply(k, group, a.shared(), b.shared(), stage.stage(), sums);
          stage.advance();
          WgmmaAtom.waitFor(k, 1);
          k.when(step.atLeast(1), () -> done.releaseAndAdvance(lane));
        });
        WgmmaAtom.waitFor(k, 0);
        k.when(steps.atLeast(1), () -> done.releaseAndAdvance(lane));
        epilogue.store(lane, group, mma, sums, m, n, batch);
      });
      epilogue.drain(lane.equalTo(0));
    });
    if (config.cluster() > 1) ClusterBarrier.meet(k);
  }

  /** What a CTA does for a tile of C that begins at a row and a column. */
  private interface TileBody {
    void accept(I32 m, I32 n, I32 batch);
  }

  /** The tiles of this CTA; those of a cluster lie one below the other. */
  private void forEachTile(Scope k, I32 rank, StagedEpilogue c, TileBody body) {
    int cluster = config.cluster();
    TileScheduler.persistent(k, k.blockX().dividedBy(cluster), k.gridX().dividedBy(cluster),
        c.extent(0).ceilDiv(cluster * config.tileM()), c.extent(1).ceilDiv(config.tileN()), c.extent(2), config.band(),
        tile -> body.accept(tile.m().times(cluster).plus(rank).times(config.tileM()), tile.n().times(config.tileN()),
            tile.batch()));
  }

  private void meet(Scope k) {
    if (config.cluster() > 1) ClusterBarrier.meet(k);
    else k.barrier();
  }
}
