package tilewright.sm120;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.MultistageMainloop;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.epilogue.DirectEpilogue;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.numerics.ElementType;

/**
 * C = f(A·Bᵀ) of floats of 8 and 4 bits with block scales, in the main loop of SM80's GEMM: its stages hold the scales
 * beside the operands, and the atom is {@link BlockScaledMma}. A (M,K,L) and B (N,K,L) count bytes along k.
 */
record Sm120Gemm(Sm120GemmConfig config, Epilogue epilogue) implements Kernel {
  @Override
  public String name() {
    return "sm120_narrow_gemm_" + config.types().name();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    var zero = k.constant(0);
    // Rows end in zeros up to a whole tile.
    var a = k.global(config.operand("A", "M")).covered(1).covered(2);
    var b = k.global(config.operand("B", "N")).covered(1).covered(2);
    var scalesA = k.global(config.scales("SA", "RA"));
    var scalesB = k.global(config.scales("SB", "RB"));
    var c = k.global(config.c()).covered(2);
    var mma = TiledMma.of(MmaAtom.F32_E4M3, config.shape());
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(config.tileM()), c.extent(1).ceilDiv(config.tileN()),
        c.extent(2), config.band());
    var tileA = shared(k, config.tileM());
    var tileB = shared(k, config.tileN());
    var scales = new TileScales(k, new BlockScaledMma(config.types()), config,
        ofCta(scalesA).from(zero, zero, tile.m(), tile.batch()),
        ofCta(scalesB).from(zero, zero, tile.n(), tile.batch()));
    var copy = TiledCopy.rowMajor(new CpAsync(k, Sm120GemmConfig.VECTOR, 1), config.threads(),
        config.tileK() / Sm120GemmConfig.VECTOR);
    var mainloop = new MultistageMainloop(config.stages(), config.tileK(), copy, copy, tileA, tileB, tileB, mma,
        Optional.of(scales));
    var accumulators = mainloop.run(k, thread, a.tile(List.of(config.tileM()), tile.m(), zero, tile.batch()),
        b.tile(List.of(config.tileN()), tile.n(), zero, tile.batch()), a.extent(1));
    DirectEpilogue.of(k, epilogue, config.neighbours()).store(thread, mma.accumulatorPartition(), accumulators, c,
        tile.m().times(config.tileM()), tile.n().times(config.tileN()), tile.batch());
  }

  /** Scales of which only those beyond k may be missing. */
  private static GlobalTensor ofCta(GlobalTensor scales) {
    return scales.covered(1).covered(2).covered(3);
  }

  private SharedTensor shared(Scope k, int rows) {
    return k.shared(ElementType.I8, SwizzledTile.alongColumns(ElementType.I8, rows, config.tileK(), config.stages()));
  }
}
