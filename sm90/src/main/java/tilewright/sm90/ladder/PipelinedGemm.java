package tilewright.sm90.ladder;

import java.util.function.Consumer;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.OutputTile;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/** Step 6: a ring of stages, which the same warpgroup's first thread keeps filled ahead of the multiplications. */
record PipelinedGemm() implements Kernel {
  private static final int STAGES = 5;

  @Override
  public String name() {
    return "ladder_pipelined";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warpgroup.SIZE);
    var first = thread.equalTo(0);
    var zero = k.constant(0);
    var a = TensorTile.of(k, Tile.operand("A", "M"), Tile.layout(Tile.M, STAGES));
    var b = TensorTile.of(k, Tile.operand("B", "N"), Tile.layout(Tile.N, STAGES));
    var c = Tile.of(k);
    var mma = TiledWgmma.of(Tile.TYPE, Tile.layout(Tile.M, STAGES), Tile.layout(Tile.N, STAGES), 1);
    var ring = Pipeline.of(k, STAGES, first, 1);
    k.barrier();
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(Tile.M), c.extent(1).ceilDiv(Tile.N), c.extent(2),
        Tile.BAND);
    var m = tile.m().times(Tile.M);
    var n = tile.n().times(Tile.N);
    var steps = a.extent(1).ceilDiv(Tile.K);

    var filling = ring.producer();
    Consumer<I32> fill = step -> k.when(first.and(step.lessThan(steps)), () -> {
      var landed = filling.acquire(a.bytes() + b.bytes());
      a.load(k, filling.stage(), landed, m, step.times(Tile.K), tile.batch());
      b.load(k, filling.stage(), landed, n, step.times(Tile.K), tile.batch());
      filling.advance();
    });
    for (int step = 0; step < STAGES - 1; step++) fill.accept(k.constant(step));

    var sums = mma.accumulators(k);
    var reading = ring.consumer();
    var done = ring.consumer();
    k.loop(steps, step -> {
      reading.awaitFull();
      mma.multiply(k, zero, a.shared(), b.shared(), reading.stage(), sums);
      reading.advance();
      WgmmaAtom.waitFor(k, 1);
      k.when(step.atLeast(1), () -> done.releaseAndAdvance(thread));
      fill.accept(step.plus(STAGES - 1));
    });
    WgmmaAtom.waitFor(k, 0);
    c.store(thread, sums, m, n, tile.batch());
  }
}
