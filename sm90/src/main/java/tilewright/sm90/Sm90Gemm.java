package tilewright.sm90;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.TileScheduler;
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
    k.blocksPerMultiprocessor(1);
    var a = TensorTile.of(k, config.a(), config.layoutA());
    var b = TensorTile.of(k, config.b(), config.layoutB());
    var epilogue = StagedEpilogue.of(k, k.scalar("alpha"), config.c(), config.consumers(), STORE_STAGES);
    var mma = TiledWgmma.of(config.operand(), config.layoutA(), config.layoutB(), config.consumers());
    var ring = Pipeline.of(k, config.stages(), thread.equalTo(0), config.consumers());
    var steps = a.extent(1).ceilDiv(config.tileK());
    var tilesM = epilogue.extent(0).ceilDiv(config.tileM());
    var tilesN = epilogue.extent(1).ceilDiv(config.tileN());
    var zero = k.constant(0);
    k.barrier();

    var leader = thread.modulo(WgmmaAtom.THREADS).equalTo(0);
    var group = Shuffle.first(k, thread.dividedBy(WgmmaAtom.THREADS), config.consumers());
    k.when(group.equalTo(config.consumers()), () -> {
      RegisterBudget.shrink(k, PRODUCER_REGISTERS);
      k.when(leader, () -> {
        var stage = ring.producer();
        TileScheduler.persistent(k, tilesM, tilesN, epilogue.extent(2), config.band(), tile -> k.loop(steps, step -> {
          var landed = stage.acquire(a.bytes() + b.bytes());
          a.load(k, stage.stage(), landed, tile.m().times(config.tileM()), step.times(config.tileK()), tile.batch());
          b.load(k, stage.stage(), landed, tile.n().times(config.tileN()), step.times(config.tileK()), tile.batch());
          stage.advance();
        }));
      });
    }, () -> {
      RegisterBudget.grow(k, CONSUMER_REGISTERS);
      var stage = ring.consumer();
      TileScheduler.persistent(k, tilesM, tilesN, epilogue.extent(2), config.band(), tile -> {
        var sums = mma.accumulators(k);
        k.loop(steps, _ -> {
          stage.awaitFull();
          mma.multiply(k, group, a.shared(), b.shared(), stage.stage(), sums);
          WgmmaAtom.waitFor(k, 0);
          k.when(leader, stage::release);
          stage.advance();
        });
        epilogue.store(thread, group, mma, sums, tile.m().times(config.tileM()), tile.n().times(config.tileN()),
            tile.batch());
      });
      epilogue.drain(leader);
    });
  }
}
