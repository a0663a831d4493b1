package tilewright.kernels.gemm;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.LinearCombination;
import tilewright.kernel.collective.MultistageMainloop;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.epilogue.DirectEpilogue;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.layout.ComposedLayout;
import tilewright.numerics.ElementType;

/**
 * C = alpha·A·Bᵀ + beta·C on SM80 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either
 * operand order, accumulated in single precision.
 *
 * <p>Data path: global → {@code cp.async} → swizzled shared memory, {@code stages} tiles deep →
 * {@code ldmatrix} → two register sets → {@code mma.sync} → registers → global.
 *
 * @param epilogue what C is, if not alpha · product + beta · C
 */
public record Sm80Gemm(GemmConfig config, Optional<Epilogue> epilogue) implements Kernel {

  /** With the usual epilogue, alpha and beta. */
  public Sm80Gemm(GemmConfig config) {
    this(config, Optional.empty());
  }

  @Override
  public String name() {
    return "sm80_gemm_" + config.operand().text() + "_" + config.order().toLowerCase(java.util.Locale.ROOT);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    var a = operand(k.global(config.a()));
    var b = operand(k.global(config.b()));
    var c = covered(k.global(config.c()), 0, 1, 2);
    var zero = k.constant(0);

    var tileA = k.shared(config.operand(), sharedLayout(config.tileM(), config.aKMajor()));
    var tileB = k.shared(config.operand(), sharedLayout(config.tileN(), config.bKMajor()));
    var copyA = copy(k, config.vectorA(), config.tileM(), config.aKMajor());
    var copyB = copy(k, config.vectorB(), config.tileN(), config.bKMajor());
    var atom = MmaAtom.of(config.operand(), ElementType.F32);
    var mma = config.inRuns() ? TiledMma.inRuns(atom, config.shape(), config.vectorC())
        : TiledMma.of(atom, config.shape());
    var writtenB = config.inRuns() ? tileB.as(SwizzledTile.alongColumnsInRuns(config.tileN(), config.tileK(),
        config.stages(), config.vectorC())) : tileB;

    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(config.tileM()), c.extent(1).ceilDiv(config.tileN()),
        c.extent(2), config.band());
    var mainloop = new MultistageMainloop(config.stages(), config.tileK(), copyA, copyB, tileA, tileB,
        writtenB, mma);
    var accumulators = mainloop.run(k, thread,
        a.tile(List.of(config.tileM()), tile.m(), zero, tile.batch()),
        b.tile(List.of(config.tileN()), tile.n(), zero, tile.batch()), a.extent(1));

    epilogue.ifPresentOrElse(
        tree -> DirectEpilogue.of(k, tree, config.vectorC()).store(thread, mma.accumulatorPartition(), accumulators, c,
            tile.m().times(config.tileM()), tile.n().times(config.tileN()), tile.batch()),
        () -> new LinearCombination(k.scalar("alpha"), k.scalar("beta"), config.vectorC()).store(k, thread,
            mma.accumulatorPartition(), accumulators,
            c.tile(List.of(config.tileM(), config.tileN()), tile.m(), tile.n(), tile.batch())));
  }

  private GlobalTensor operand(GlobalTensor tensor) {
    return config.fit().filter(GemmConfig.Fit::wholeK).isPresent() ? covered(tensor, 0, 1, 2) : covered(tensor, 0, 2);
  }

  /** Without checks of modes whose extents are whole tiles, as those of the batch are. */
  private GlobalTensor covered(GlobalTensor tensor, int... modes) {
    var all = tensor;
    if (config.fit().isPresent()) for (int mode : modes) all = all.covered(mode);
    return all;
  }

  private ComposedLayout sharedLayout(int rows, boolean kMajor) {
    return kMajor ? SwizzledTile.alongColumns(rows, config.tileK(), config.stages())
        : SwizzledTile.alongRows(rows, config.tileK(), config.stages());
  }

  /** Threads run along the neighbours first, so that a warp reads whole sectors. */
  private TiledCopy copy(Scope k, int vector, int rows, boolean kMajor) {
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, config.operand().bytes());
    int along = Math.min((kMajor ? config.tileK() : rows) / vector, config.threads());
    return kMajor ? TiledCopy.rowMajor(atom, config.threads(), along)
        : TiledCopy.columnMajor(atom, config.threads(), along);
  }
}
