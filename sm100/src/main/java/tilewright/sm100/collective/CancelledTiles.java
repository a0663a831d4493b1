package tilewright.sm100.collective;

import java.util.function.Supplier;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm100.atom.LaunchControl;
import tilewright.sm90.atom.BulkCopy;
import tilewright.sm90.collective.ClusterTiles;
import tilewright.sm90.collective.Pipeline;

/**
 * The tile of the cluster's own number, then those of clusters whose launch it has cancelled; a launch has a cluster a
 * tile. Answers go through a ring: the cluster's first CTA asks for all, every reader of every CTA tells it when the
 * answer may be overwritten (CUTLASS, PersistentTileSchedulerSm100).
 */
public final class CancelledTiles implements TileWork {
  private static final int STAGES = 2;

  private final Scope k;
  private final ClusterTiles tiles;
  private final Extents extents;
  private final Pipeline ring;
  private final I32 answers;

  private CancelledTiles(Scope k, ClusterTiles tiles, Extents extents, Pipeline ring, I32 answers) {
    this.k = k;
    this.tiles = tiles;
    this.extents = extents;
    this.ring = ring;
    this.answers = answers;
  }

  /**
   * Sets the ring aside.
   *
   * @param first true for the thread that initialises it
   * @param readers threads and warps of the whole cluster that go through the tiles, without those that schedule
   */
  public static CancelledTiles of(Scope k, ClusterTiles tiles, Extents extents, Pred first, int readers) {
    var ring = Pipeline.ring(k, STAGES, first, 1, readers + tiles.shape().blocks());
    return new CancelledTiles(k, tiles, extents, ring, k.sharedBytes(STAGES * LaunchControl.BYTES));
  }

  @Override
  public void forEach(ClusterTiles.Body body) {
    var cursor = ring.consumer();
    through(body, () -> numbered(read(cursor)));
  }

  /** The first lane reads for all: what others have read before an arrival, no barrier of the cluster would know. */
  @Override
  public void forEachOfWarp(Pred first, ClusterTiles.Body body) {
    var cursor = ring.consumer();
    through(body, () -> {
      var found = k.variable(k.constant(0), Integer.MAX_VALUE);
      k.when(first, () -> found.set(numbered(read(cursor))));
      return Shuffle.first(k, found.value(), Integer.MAX_VALUE);
    });
  }

  /** @param answer finds the next cluster's number from 1 on, or 0 where there is none */
  private void through(ClusterTiles.Body body, Supplier<I32> answer) {
    var next = k.variable(k.blockX().dividedBy(tiles.shape().blocks()), Integer.MAX_VALUE);
    k.repeatUntil(() -> {
      tiles.numbered(next.value(), extents.m(), extents.n(), body);
      var number = answer.get();
      next.set(number.plus(-1));
      return number.equalTo(0);
    });
  }

  private I32 numbered(LaunchControl.Answer answer) {
    return answer.blockX().dividedBy(tiles.shape().blocks()).plus(1).where(answer.cancelled(), 0);
  }

  /** One thread of every CTA expects answers; that of the cluster's first asks. */
  @Override
  public void schedule() {
    var asked = ring.producer();
    var cursor = ring.consumer();
    var asks = tiles.rank().equalTo(0);
    k.repeatUntil(() -> {
      k.when(asks, asked::awaitEmpty);
      asked.full().arriveExpecting(k.constant(LaunchControl.BYTES));
      k.when(asks, () -> LaunchControl.tryCancel(k, place(asked), asked.full(), tiles.shape().blocks()));
      asked.advance();
      return numbered(read(cursor)).equalTo(0);
    });
  }

  private LaunchControl.Answer read(Pipeline.Cursor cursor) {
    cursor.awaitFull();
    var answer = LaunchControl.read(k, place(cursor));
    // The next answer comes by the asynchronous proxy.
    BulkCopy.publish(k);
    if (tiles.shape().blocks() == 1) cursor.empty().arrive();
    else cursor.empty().arriveAt(k.constant(0));
    cursor.advance();
    return answer;
  }

  private I32 place(Pipeline.Cursor cursor) {
    return answers.plus(cursor.stage().times(LaunchControl.BYTES));
  }
}
