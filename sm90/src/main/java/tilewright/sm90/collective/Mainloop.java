package tilewright.sm90.collective;

import java.util.Optional;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.ClusterTiles;
import tilewright.async.collective.OperandTile;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.Rotation;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The main loop of one tile of C, seen from both sides of a ring: the producer has its tiles of A and B copied, a
 * consumer multiplies them and leaves one stage's multiplications under way while the next begins (CUTLASS,
 * MainloopSm90TmaGmmaWarpSpecialized).
 *
 * @param a tiles (M, K, stages)
 * @param b tiles (N, K, stages)
 * @param tiles which CTAs of a cluster copy a's and b's tiles for each other
 * @param scales of both, where they have some
 * @param lead stages that the first of the CTAs which split k has beyond its equal part, at most half of that
 */
public record Mainloop(Scope k, OperandTile a, OperandTile b, TiledWgmma mma, ClusterTiles tiles,
    Optional<BlockScales> scales, int lead) {

  /** Stages that a tile of C takes, of this CTA's part of k; some may lie beyond its end, and are zeros. */
  public I32 steps() {
    var steps = b.extent(1).ceilDiv(mma.depth() * mma.unit()).times(mma.unit());
    if (tiles.shape().splits() == 1) return steps;
    return steps.minus(first()).max(0).min(perSlice());
  }

  private I32 perSlice() {
    var equal = b.extent(1).ceilDiv(mma.depth() * mma.unit() * tiles.shape().splits()).times(mma.unit());
    return lead == 0 ? equal : equal.plus(equal.dividedBy(2).min(lead));
  }

  /** The first stage of this CTA's part of k. */
  I32 first() {
    return tiles.shape().splits() == 1 ? k.constant(0) : tiles.slice().times(perSlice());
  }

  /** Has both tensors' maps fetched ahead of the first copies; one thread does it. */
  public void prefetchMaps() {
    a.prefetchMap(k);
    b.prefetchMap(k);
    scales.ifPresent(all -> all.a().prefetchMap(k));
  }

  /** One thread copies what the tile at (m, n) of a batch entry is made of. */
  public void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch) {
    produce(stage, m, n, batch, batch);
  }

  /** The same with the B of another entry. */
  public void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch, I32 group) {
    produce(stage, m, n, batch, group, first(), steps());
  }

  /** The same in step with other CTAs. */
  public void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch, I32 group, Pace pace) {
    var most = pace.steps(steps());
    pace.await();
    produce(stage, m, n, batch, group, first(), most);
    pace.arrive();
    produce(stage, m, n, batch, group, first().plus(most), steps().minus(most));
  }

  /** The same for a part of its k. */
  public void produce(Pipeline.Cursor stage, SharedTail.Part part) {
    produce(stage, part.m(), part.n(), part.batch(), part.batch(), part.first(), part.steps());
  }

  private void produce(Pipeline.Cursor stage, I32 m, I32 n, I32 batch, I32 group, I32 first, I32 steps) {
    k.loop(steps, step -> {
      var at = first.plus(step);
      var ofB = scales.map(all -> all.readB(n, at, group));
      stage.awaitEmpty();
      ofB.ifPresent(read -> scales.orElseThrow().putB(read, stage.stage()));
      var landed = stage.expect(a.bytes() + b.bytes() + scales.map(BlockScales::copiedBytes).orElse(0));
      scales.ifPresent(all -> all.copyA(stage, landed, m, at, batch));
      copyA(stage, landed, m, at, batch);
      copyB(stage, landed, n, at, group);
      stage.advance();
    });
  }

  /**
   * All threads of a warpgroup fetch what the tile at (m, n) of a batch entry is made of, with the B of another.
   *
   * @param lane the thread's number in its warpgroup; the first brings scales, too
   */
  public void fetch(Pipeline.Cursor stage, I32 lane, I32 m, I32 n, I32 batch, I32 group) {
    k.loop(steps(), step -> {
      stage.awaitEmpty();
      copyA(stage, stage.full(), m, step, batch);
      copyB(stage, stage.full(), n, step, group);
      BulkCopy.publish(k);
      scales.ifPresentOrElse(all -> k.when(lane.equalTo(0), () -> {
        all.putB(all.readB(n, step, group), stage.stage());
        all.copyA(stage, stage.expect(all.copiedBytes()), m, step, batch);
      }, () -> stage.full().arrive()), () -> stage.full().arrive());
      stage.advance();
    });
  }

  /** One of two threads copies A's part of what a tile is made of, into a ring whose stages are filled by both. */
  public void produceA(Pipeline.Cursor stage, I32 m, I32 batch) {
    k.loop(steps(), step -> {
      copyA(stage, stage.acquire(a.bytes()), m, first().plus(step), batch);
      stage.advance();
    });
  }

  /** The other copies B's. */
  public void produceB(Pipeline.Cursor stage, I32 n, I32 batch) {
    k.loop(steps(), step -> {
      copyB(stage, stage.acquire(b.bytes()), n, first().plus(step), batch);
      stage.advance();
    });
  }

  private void copyA(Pipeline.Cursor stage, Mbarrier landed, I32 m, I32 step, I32 batch) {
    a.loadShare(k, tiles.shareOfA(), stage.stage(), landed, m, step.times(a.columns()), batch);
  }

  private void copyB(Pipeline.Cursor stage, Mbarrier landed, I32 n, I32 step, I32 batch) {
    b.loadShare(k, tiles.shareOfB(), stage.stage(), landed, n, step.times(b.columns()), batch);
  }

  /**
   * A warpgroup multiplies its rows of the tile.
   *
   * @param lane the thread's number in its warpgroup
   */
  public Fragment consume(Place place, I32 group, I32 lane) {
    return consume(place, group, lane, steps());
  }

  /** The same of so many steps along k. */
  public Fragment consume(Place place, I32 group, I32 lane, I32 steps) {
    var stage = place.stage();
    var done = place.done();
    var sums = mma.accumulators(k);
    place.turn().await();
    k.loop(steps, step -> {
      stage.awaitFull();
      mma.multiply(k, group, a.shared(), b.shared(), stage.stage(), sums);
      stage.advance();
      WgmmaAtom.waitFor(k, 1);
      k.when(step.atLeast(1), () -> done.releaseAndAdvance(lane));
    });
    place.turn().pass();
    WgmmaAtom.waitFor(k, 0);
    k.when(steps.atLeast(1), () -> done.releaseAndAdvance(lane));
    place.skip(k.constant(place.turn().between()));
    return sums;
  }

  /** Where a consumer of all tiles begins in the ring. */
  public Place place(Pipeline ring) {
    return place(ring, Rotation.alone(k));
  }

  /** Where a consumer begins in the ring. */
  public Place place(Pipeline ring, Rotation.Turn turn) {
    var place = new Place(this, ring.consumer(), ring.consumer(), turn);
    place.skip(turn.before());
    return place;
  }

  /**
   * A consumer's place in the ring.
   *
   * @param stage that is multiplied next
   * @param done the same, which follows once multiplications have read it
   * @param turn when the consumer multiplies, where others have other tiles
   */
  public record Place(Mainloop loop, Pipeline.Cursor stage, Pipeline.Cursor done, Rotation.Turn turn) {
    /** Leaves the stages of so many tiles to other consumers. */
    private void skip(I32 tiles) {
      if (turn.between() == 0) return;
      var count = loop.steps().times(tiles);
      stage.skip(count);
      done.skip(count);
    }
  }
}
