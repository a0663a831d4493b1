package tilewright.sm90.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The main loop of one tile of C, seen from both sides of a ring: the producer has its tiles of A and B copied, a
 * consumer multiplies them and leaves one stage's multiplications under way while the next begins (CUTLASS,
 * MainloopSm90TmaGmmaWarpSpecialized).
 *
 * @param a tiles (M, K, stages), of this CTA alone
 * @param b tiles (N, K, stages), which the CTAs of a cluster copy for each other
 */
public record Mainloop(Scope k, TensorTile a, TensorTile b, TiledWgmma mma, I32 rank, int blocks) {

  /** Stages that a tile of C takes. */
  I32 steps() {
    return a.extent(1).ceilDiv(mma.depth());
  }

  /** One thread copies what the tile at (m, n) is made of. */
  public void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch) {
    k.loop(steps(), step -> {
      var landed = stage.acquire(a.bytes() + b.bytes());
      var depth = step.times(mma.depth());
      a.load(k, stage.stage(), landed, m, depth, batch);
      b.loadShare(k, rank, blocks, stage.stage(), landed, n, depth, batch);
      stage.advance();
    });
  }

  /**
   * A warpgroup multiplies its rows of the tile.
   *
   * @param stage its place in the ring
   * @param done the same place, which follows once multiplications have read it
   * @param lane the thread's number in its warpgroup
   */
  public Fragment consume(Pipeline.Cursor stage, Pipeline.Cursor done, I32 group, I32 lane) {
    var sums = mma.accumulators(k);
    k.loop(steps(), step -> {
      stage.awaitFull();
      mma.multiply(k, group, a.shared(), b.shared(), stage.stage(), sums);
      stage.advance();
      WgmmaAtom.waitFor(k, 1);
      k.when(step.atLeast(1), () -> done.releaseAndAdvance(lane));
    });
    WgmmaAtom.waitFor(k, 0);
    k.when(steps().atLeast(1), () -> done.releaseAndAdvance(lane));
    return sums;
  }
}
