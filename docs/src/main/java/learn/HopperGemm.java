package learn;

import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * C = A·Bᵀ on Hopper's tensor cores. A (M,K) and B (N,K) in bf16, C (M,N) in FP32. One warpgroup multiplies 64×128
 * elements of C; one warp copies for it.
 */
public record HopperGemm(int stages) implements Kernel {
  private static final ElementType TYPE = ElementType.BF16;
  private static final int M = WgmmaAtom.M;
  private static final int N = 128;
  private static final int DEPTH = 64;
  private static final int WARP = 32;

  @Override
  public String name() {
    return "learn_hopper_gemm_" + stages;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warpgroup.SIZE + WARP);
    var a = TensorTile.of(k, operand("A", "M"), stage(M));
    var b = TensorTile.of(k, operand("B", "N"), stage(N));
    var c = k.global(TensorSpec.of("C", ElementType.F32, "M", "N").contiguous("N"));
    var mma = TiledWgmma.of(TYPE, stage(M), stage(N), 1);
    var ring = Pipeline.of(k, stages, thread.equalTo(0), 1);
    k.barrier();

    var m = k.blockX().times(M);
    var n = k.blockY().times(N);
    var steps = a.extent(1).ceilDiv(DEPTH);
    k.when(thread.atLeast(Warpgroup.SIZE), () -> {
      // The load warp: one thread asks TMA for both tiles of each step.
      var filling = ring.producer();
      k.when(thread.equalTo(Warpgroup.SIZE), () -> k.loop(steps, step -> {
        var landed = filling.acquire(a.bytes() + b.bytes());
        a.load(k, filling.stage(), landed, m, step.times(DEPTH));
        b.load(k, filling.stage(), landed, n, step.times(DEPTH));
        filling.advance();
      }));
    }, () -> {
      // The warpgroup that multiplies: wait for a stage, multiply it, release it.
      var reading = ring.consumer();
      var sums = mma.accumulators(k);
      k.loop(steps, _ -> {
        reading.awaitFull();
        mma.multiply(k, k.constant(0), a.shared(), b.shared(), reading.stage(), sums);
        WgmmaAtom.waitFor(k, 0);
        reading.releaseAndAdvance(thread);
      });
      var tile = WgmmaAtom.accumulators(N);
      for (int value = 0; value < tile.values(); value++) {
        var element = c.from(m, n).at(tile.coordinate(thread, value));
        var sum = k.result(sums.registers().get(value));
        k.when(element.inside(), () -> element.store(sum));
      }
    });
  }

  private static TensorSpec operand(String name, String rows) {
    return TensorSpec.of(name, TYPE, rows, "K").contiguous("K").aligned(8);
  }

  /** The layout of all stages of a tile in shared memory, swizzled as wgmma reads it. */
  private OffsetMap stage(int rows) {
    return SwizzledRows.alongColumns(TYPE, rows, DEPTH, stages);
  }
}
