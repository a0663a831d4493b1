package tilewright.kernels.gemm;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.LinearCombination;
import tilewright.kernel.collective.MultistageMainloop;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.collective.SplitK;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.epilogue.DirectEpilogue;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;

/**
 * C = alpha·A·Bᵀ + beta·C on SM80 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either
 * operand order, accumulated in FP32 or f16. Operands of 8 bits need SM89.
 *
 * <p>Data path: global → {@code cp.async} → shared memory, usually swizzled, {@code stages} tiles deep →
 * {@code ldmatrix} → two register sets → {@code mma.sync} → registers → global. {@code ldmatrix} transposes elements of
 * 16 bits only: of 8 bits, an operand whose neighbours run along m or n is transposed by single copies on its way to
 * shared memory. Where C has few tiles, several CTAs share the k of each.
 *
 * @param epilogue what C is, if not alpha · product + beta · C
 * @param splits CTAs that share the k of a tile
 */
public record Sm80Gemm(GemmConfig config, Optional<Epilogue> epilogue, int splits) implements Kernel {
  /** Accumulators of a thread in one {@code mma.m16n8}. */
  private static final int ATOM = 4;

  public Sm80Gemm {
    if (splits > 1 && config.operands().accumulator() != ElementType.F32) {
      throw new IllegalArgumentException("accumulators of " + config.operands().accumulator().text()
          + " are not added from CTA to CTA: leave split at 1, or accumulate in f32");
    }
  }

  /** Creates the kernel with the usual epilogue, alpha and beta. */
  public Sm80Gemm(GemmConfig config) {
    this(config, Optional.empty(), 1);
  }

  @Override
  public String name() {
    return "sm80_gemm_" + config.operands().name() + "_" + config.order().toLowerCase(java.util.Locale.ROOT);
  }

  @Override
  public void trace(Scope k) {
    var operands = config.operands();
    var shape = config.tile();
    var vectors = config.vectors();
    var thread = k.block(config.threads());
    var a = operand(k.global(config.a()));
    var b = operand(k.global(config.b()));
    var c = covered(k.global(config.c()), 0, 1, 2);
    var zero = k.constant(0);

    var tileA = k.shared(operands.a(), sharedLayout(operands.a(), shape.m(), operands.sharedAAlongK()));
    var tileB = k.shared(operands.b(), sharedLayout(operands.b(), shape.n(), operands.sharedBAlongK()));
    var copyA = copy(k, vectors.a(), shape.m(), operands.aKMajor());
    var copyB = copy(k, vectors.b(), shape.n(), operands.bKMajor());
    var atom = MmaAtom.of(operands.a(), operands.b(), operands.accumulator());
    var mma = config.inRuns() ? TiledMma.inRuns(atom, config.shape(), vectors.c())
        : TiledMma.of(atom, config.shape());
    var writtenB = config.inRuns() ? tileB.as(shape.order().alongColumnsInRuns(operands.b(), shape.n(),
        shape.k(), shape.stages(), vectors.c())) : tileB;

    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(shape.m()), c.extent(1).ceilDiv(shape.n()),
        c.extent(2), shape.band());
    var mainloop = new MultistageMainloop(shape.stages(), shape.k(), copyA, copyB, tileA, tileB,
        writtenB, mma, Optional.empty());
    var rowsA = a.tile(List.of(shape.m()), tile.m(), zero, tile.batch());
    var rowsB = b.tile(List.of(shape.n()), tile.n(), zero, tile.batch());
    if (splits == 1) {
      var accumulators = mainloop.run(k, thread, rowsA, rowsB, a.extent(1));
      store(k, thread, mma, accumulators, c, tile);
    } else {
      var split = SplitK.of(k, splits, config.threads(), quads(config));
      var slice = split.slice(a.extent(1), shape.k());
      var accumulators = mainloop.run(k, thread, rowsA.from(zero, slice.first(), zero),
          rowsB.from(zero, slice.first(), zero), slice.extent());
      split.complete(thread, accumulators, () -> store(k, thread, mma, accumulators, c, tile));
    }
  }

  /** Accumulators of a thread, in fours. */
  static int quads(GemmConfig config) {
    return config.tile().m() * config.tile().n() / (ATOM * config.threads());
  }

  private void store(Scope k, I32 thread, TiledMma mma, Fragment accumulators, GlobalTensor c, OutputTile tile) {
    var shape = config.tile();
    var vectors = config.vectors();
    epilogue.ifPresentOrElse(
        tree -> DirectEpilogue.of(k, tree, vectors.c()).store(thread, mma.accumulatorPartition(), accumulators, c,
            tile.m().times(shape.m()), tile.n().times(shape.n()), tile.batch()),
        () -> new LinearCombination(k.scalar("alpha"), k.scalar("beta"), vectors.c()).store(k, thread,
            mma.accumulatorPartition(), accumulators,
            c.tile(List.of(shape.m(), shape.n()), tile.m(), tile.n(), tile.batch())));
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

  private OffsetMap sharedLayout(ElementType type, int rows, boolean kMajor) {
    var tile = config.tile();
    return kMajor ? tile.order().alongColumns(type, rows, tile.k(), tile.stages())
        : tile.order().alongRows(type, rows, tile.k(), tile.stages());
  }

  /** Threads run along the neighbours first, so that a warp reads whole sectors. */
  private TiledCopy copy(Scope k, int vector, int rows, boolean kMajor) {
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, config.operands().a().bytes());
    int along = Math.min((kMajor ? config.tile().k() : rows) / vector, config.threads());
    return kMajor ? TiledCopy.rowMajor(atom, config.threads(), along)
        : TiledCopy.columnMajor(atom, config.threads(), along);
  }
}
