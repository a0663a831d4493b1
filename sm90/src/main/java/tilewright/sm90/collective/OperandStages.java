package tilewright.sm90.collective;

import java.util.List;
import java.util.Optional;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.OperandTile;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.ptx.Operand;

/**
 * A and B on their way through a ring of stages in shared memory, as the threads see them that load.
 *
 * @param a tiles (M, K, stages)
 * @param b tiles (N, K, stages), or ((N, products), K, stages)
 * @param products that share A: a tile has as many rows of B for each
 * @param cluster whose CTAs load a's and b's tiles for each other
 * @param scales of both, where they have some
 * @param metadata of a sparse A
 */
public record OperandStages(Scope k, OperandTile a, OperandTile b, int products, TiledWgmma mma, Cluster cluster,
    Optional<BlockScales> scales, Optional<StagedMetadata> metadata) {

  /** Whether threads that multiply read something of a stage by themselves, and not {@code wgmma} alone. */
  boolean areReadByThreads() {
    return scales.isPresent() || metadata.isPresent();
  }

  /**
   * The steps of the mainloop that are this CTA's; some may lie beyond the end of k, where operands are zeros. The last
   * of the CTAs that split k may have fewer, or none.
   *
   * @param lead steps that the first of these has beyond its equal part, at most half of that
   */
  public WorkTile.KRange range(int lead) {
    int splits = cluster.shape().splits();
    if (splits == 1) return new WorkTile.KRange(k.constant(0), steps(1));
    var equal = steps(splits);
    var each = lead == 0 ? equal : equal.plus(equal.dividedBy(2).min(lead));
    var first = cluster.slice().times(each);
    return new WorkTile.KRange(first, steps(1).minus(first).max(0).min(each));
  }

  /** Steps of each part, were k divided into this number of equal parts. */
  private I32 steps(int parts) {
    return b.extent(1).ceilDiv(mma.depth() * mma.unit() * parts).times(mma.unit());
  }

  /** Prefetches both tensors' maps ahead of the first copies; one thread does it. */
  public void prefetchMaps() {
    a.prefetchMap(k);
    b.prefetchMap(k);
    scales.ifPresent(all -> all.a().prefetchMap(k));
    metadata.ifPresent(all -> all.tile().prefetchMap(k));
  }

  /** A thread takes the metadata of a stage, if A is sparse: for each of its warpgroup's blocks of rows its words. */
  List<List<Operand.Register>> takeMetadata(I32 group, I32 lane, I32 stage) {
    return metadata.map(all -> all.take(mma, group, lane, stage)).orElse(List.of());
  }

  /**
   * Releases a stage: one thread for the warpgroup, whose wgmma has read it; where threads read something of it, one
   * per warp, each of which has read that by itself.
   */
  void release(Pipeline.Cursor stage, I32 lane) {
    if (areReadByThreads()) {
      k.warpBarrier();
      stage.releaseAndAdvance(lane.modulo(Warp.SIZE));
    } else {
      stage.releaseAndAdvance(lane);
    }
  }

  /** Loads the operands of a tile with tensor copies, in one thread. */
  public void load(Pipeline.Cursor stage, WorkTile tile) {
    k.loop(tile.k().steps(), step -> {
      var at = tile.k().first().plus(step);
      var ofB = scales.map(all -> all.readB(tile.n(), at, tile.group()));
      stage.awaitEmpty();
      ofB.ifPresent(read -> scales.orElseThrow().putB(read, stage.stage()));
      var landed = stage.expect(a.bytes() + b.bytes() + scales.map(BlockScales::copiedBytes).orElse(0)
          + metadata.map(all -> all.tile().bytes()).orElse(0));
      scales.ifPresent(all -> all.copyA(stage, landed, tile.m(), at, tile.batch()));
      metadata.ifPresent(all -> all.copy(stage, landed, tile.m(), at, tile.batch()));
      copyBoth(stage, landed, tile, at);
      stage.advance();
    });
  }

  /**
   * Copies both operands of a step, first the one that more CTAs wait for: on an H200 1472×1320×14336 took 82 µs so, and
   * 87 the other way round.
   */
  private void copyBoth(Pipeline.Cursor stage, Mbarrier landed, WorkTile tile, I32 step) {
    boolean bIsShared = cluster.shareOfB().parts() > cluster.shareOfA().parts();
    if (bIsShared) copyB(stage, landed, tile, step);
    copyA(stage, landed, tile, step);
    if (!bIsShared) copyB(stage, landed, tile, step);
  }

  /**
   * Loads the operands of a tile element by element, in all threads of a warpgroup.
   *
   * @param lane the thread's number in its warpgroup; the first loads scales or metadata, too
   */
  public void loadByThreads(Pipeline.Cursor stage, I32 lane, WorkTile tile) {
    k.loop(tile.k().steps(), step -> {
      stage.awaitEmpty();
      copyA(stage, stage.full(), tile, step);
      copyB(stage, stage.full(), tile, step);
      BulkCopy.publish(k);
      if (areReadByThreads()) {
        k.when(lane.equalTo(0), () -> copyAlongside(stage, tile, step), () -> stage.full().arrive());
      } else {
        stage.full().arrive();
      }
      stage.advance();
    });
  }

  /** Copies what threads that multiply read by themselves beside operands that others load. */
  private void copyAlongside(Pipeline.Cursor stage, WorkTile tile, I32 step) {
    scales.ifPresent(all -> {
      all.putB(all.readB(tile.n(), step, tile.group()), stage.stage());
      all.copyA(stage, stage.expect(all.copiedBytes()), tile.m(), step, tile.batch());
    });
    metadata.ifPresent(all ->
        all.copy(stage, stage.expect(all.tile().bytes()), tile.m(), step, tile.batch()));
  }

  /** Loads A's part of a tile, in one of two threads that fill each stage together. */
  public void loadA(Pipeline.Cursor stage, WorkTile tile) {
    k.loop(tile.k().steps(), step -> {
      copyA(stage, stage.acquire(a.bytes()), tile, tile.k().first().plus(step));
      stage.advance();
    });
  }

  /** Loads B's part of a tile, in the other thread. */
  public void loadB(Pipeline.Cursor stage, WorkTile tile) {
    k.loop(tile.k().steps(), step -> {
      copyB(stage, stage.acquire(b.bytes()), tile, tile.k().first().plus(step));
      stage.advance();
    });
  }

  private void copyA(Pipeline.Cursor stage, Mbarrier landed, WorkTile tile, I32 step) {
    a.loadShare(k, cluster.shareOfA(), stage.stage(), landed, tile.m(), step.times(a.columns()), tile.batch());
  }

  private void copyB(Pipeline.Cursor stage, Mbarrier landed, WorkTile tile, I32 step) {
    var column = step.times(b.columns());
    if (products == 1) b.loadShare(k, cluster.shareOfB(), stage.stage(), landed, tile.n(), column, tile.group());
    else b.loadShare(k, cluster.shareOfB(), stage.stage(), landed, tile.n(), column, k.constant(0), tile.group());
  }
}
