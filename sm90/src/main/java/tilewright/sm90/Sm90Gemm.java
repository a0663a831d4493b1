package tilewright.sm90;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.sm90.atom.RegisterBudget;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.ClusterTiles;
import tilewright.sm90.collective.Mainloop;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.Promotion;
import tilewright.sm90.collective.StagedEpilogue;
import tilewright.sm90.collective.TensorTile;
import tilewright.sm90.collective.TiledWgmma;

/**
 * C = alpha·A·Bᵀ on SM90 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either operand
 * order, accumulated in single precision.
 *
 * <p>One warpgroup copies, the others multiply: global → TMA → swizzled shared memory, {@code stages} tiles deep →
 * {@code wgmma} → registers → global. CTAs stay and go from tile to tile.
 */
public record Sm90Gemm(Sm90GemmConfig config, OutputForm output) implements Kernel {
  static final int STORE_STAGES = 2;
  private static final int PRODUCER_REGISTERS = 40;
  private static final int CONSUMER_REGISTERS = 232;

  /** With alpha · product for C, row-major. */
  public Sm90Gemm(Sm90GemmConfig config) {
    this(config, new OutputForm(Epilogue.scaled(config.types().output()), true, 1));
  }

  @Override
  public String name() {
    return "sm90_gemm_" + config.types().toString().replaceAll("[^a-z0-9]+", "_") + "_" + (config.aKMajor() ? "t" : "n")
        + (config.bKMajor() ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(1);
    var tiles = ClusterTiles.of(k, config.cluster(), config.tileM(), config.tileN(), config.band());
    var a = TensorTile.of(k, config.a(), config.layoutA());
    var b = TensorTile.shared(k, config.b(), config.layoutB(), config.cluster());
    var c = StagedEpilogue.of(k, output.epilogue(), output.neighbours(), config.c(output.alongN()), config.tileN(),
        config.consumers(), STORE_STAGES);
    var mma = TiledWgmma.of(config.atom(), config.layoutA(), config.layoutB(), config.consumers());
    var mainloop = new Mainloop(k, a, b, mma, tiles.rank(), config.cluster());
    var ring = Pipeline.of(k, config.stages(), thread.equalTo(0), config.consumers(), config.cluster());
    tiles.meet();

    var lane = thread.modulo(WgmmaAtom.THREADS);
    var group = Shuffle.first(k, thread.dividedBy(WgmmaAtom.THREADS), config.consumers());
    k.when(group.equalTo(config.consumers()), () -> {
      RegisterBudget.shrink(k, PRODUCER_REGISTERS);
      k.when(lane.equalTo(0), () -> {
        var stage = ring.producer();
        tiles.forEach(c.extent(0), c.extent(1), c.extent(2),
            (m, n, batch) -> mainloop.produce(stage, m, n, batch));
      });
    }, () -> {
      RegisterBudget.grow(k, CONSUMER_REGISTERS);
      var stage = ring.consumer();
      var done = ring.consumer();
      tiles.forEach(c.extent(0), c.extent(1), c.extent(2), (m, n, batch) -> {
        var sums = config.types().isPromoted() ? new Promotion(k, mainloop).consume(stage, group, lane)
            : mainloop.consume(stage, done, group, lane);
        c.store(lane, group, mma, sums, m, n, batch);
      });
      c.drain(lane.equalTo(0));
    });
    tiles.part();
  }
}
