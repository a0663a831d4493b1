package tilewright.sm90.ladder;

import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.OutputTile;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/** Step 5: one thread has tiles copied by TMA, one warpgroup waits for them and multiplies them by {@code wgmma}. */
record OneStageGemm() implements Kernel {

  @Override
  public String name() {
    return "ladder_one_stage";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warpgroup.SIZE);
    var zero = k.constant(0);
    var a = TensorTile.of(k, Tile.operand("A", "M"), Tile.layout(Tile.M, 1));
    var b = TensorTile.of(k, Tile.operand("B", "N"), Tile.layout(Tile.N, 1));
    var c = Tile.of(k);
    var mma = TiledWgmma.of(Tile.TYPE, Tile.layout(Tile.M, 1), Tile.layout(Tile.N, 1), 1);
    var landed = Mbarrier.of(k, thread.equalTo(0), 1);
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(Tile.M), c.extent(1).ceilDiv(Tile.N), c.extent(2),
        Tile.BAND);
    var m = tile.m().times(Tile.M);
    var n = tile.n().times(Tile.N);

    var sums = mma.accumulators(k);
    k.loop(a.extent(1).ceilDiv(Tile.K), step -> {
      k.when(thread.equalTo(0), () -> {
        landed.arriveExpecting(k.constant(a.bytes() + b.bytes()));
        a.load(k, zero, landed, m, step.times(Tile.K), tile.batch());
        b.load(k, zero, landed, n, step.times(Tile.K), tile.batch());
      });
      landed.await(step.modulo(2));
      mma.multiply(k, zero, a.shared(), b.shared(), zero, sums);
      WgmmaAtom.waitFor(k, 0);
      k.barrier();
    });
    c.store(thread, sums, m, n, tile.batch());
  }
}
