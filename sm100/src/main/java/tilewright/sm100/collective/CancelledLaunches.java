package tilewright.sm100.collective;

import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.async.atom.BulkCopy;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.WorkIndices;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm100.atom.LaunchControl;

/**
 * The cluster's own number, then those of clusters whose launch it has cancelled. Answers go through a ring: the
 * cluster's first CTA asks for all, every reader of every CTA tells it when the answer may be overwritten (CUTLASS,
 * PersistentTileSchedulerSm100).
 */
public final class CancelledLaunches implements WorkIndices {
  private static final int STAGES = 2;

  private final Scope k;
  private final int blocks;
  private final Pred asks;
  private final Pipeline ring;
  private final I32 answers;
  private final I32 count;

  private CancelledLaunches(Scope k, int blocks, Pred asks, Pipeline ring, I32 answers, I32 count) {
    this.k = k;
    this.blocks = blocks;
    this.asks = asks;
    this.ring = ring;
    this.answers = answers;
    this.count = count;
  }

  /**
   * Sets the ring aside, whose barriers {@code first} publishes.
   *
   * @param blocks of a cluster
   * @param asks whether this CTA is its first
   * @param first true for the thread that initialises the ring
   * @param readers threads and warps of the whole cluster that go through the numbers, without those that schedule
   * @param count of clusters that there is work for; of none a launch has one all the same, which does nothing
   */
  public static CancelledLaunches of(Scope k, int blocks, Pred asks, Pred first, int readers, I32 count) {
    var ring = Pipeline.ring(k, STAGES, first, 1, readers + blocks);
    return new CancelledLaunches(k, blocks, asks, ring, k.sharedBytes(STAGES * LaunchControl.BYTES), count);
  }

  @Override
  public void forEach(Consumer<I32> body) {
    var cursor = ring.consumer();
    through(body, () -> numbered(read(cursor)));
  }

  /** The first lane reads for all: no barrier of the cluster would know what others have read before an arrival. */
  @Override
  public void forEachOfWarp(Pred first, Consumer<I32> body) {
    var cursor = ring.consumer();
    through(body, () -> {
      var found = k.variable(k.constant(0), Integer.MAX_VALUE);
      k.when(first, () -> found.set(numbered(read(cursor))));
      return Shuffle.first(k, found.value(), Integer.MAX_VALUE);
    });
  }

  /** @param answer finds the next cluster's number from 1 on, or 0 where there is none */
  private void through(Consumer<I32> body, Supplier<I32> answer) {
    var next = k.variable(k.blockX().dividedBy(blocks), Integer.MAX_VALUE);
    repeatUntil(() -> {
      body.accept(next.value());
      var number = answer.get();
      next.set(number.plus(-1));
      return number.equalTo(0);
    });
  }

  private void repeatUntil(Supplier<Pred> attempt) {
    k.when(count.atLeast(1), () -> k.repeatUntil(attempt));
  }

  private I32 numbered(LaunchControl.Answer answer) {
    return answer.blockX().dividedBy(blocks).plus(1).where(answer.cancelled(), 0);
  }

  /** One thread of every CTA expects answers; that of the cluster's first CTA asks. */
  @Override
  public void schedule() {
    var asked = ring.producer();
    var cursor = ring.consumer();
    repeatUntil(() -> {
      k.when(asks, asked::awaitEmpty);
      asked.full().arriveExpecting(k.constant(LaunchControl.BYTES));
      k.when(asks, () -> LaunchControl.tryCancel(k, place(asked), asked.full(), blocks));
      asked.advance();
      return numbered(read(cursor)).equalTo(0);
    });
  }

  private LaunchControl.Answer read(Pipeline.Cursor cursor) {
    cursor.awaitFull();
    var answer = LaunchControl.read(k, place(cursor));
    // The next answer comes by the asynchronous proxy.
    BulkCopy.publish(k);
    if (blocks == 1) cursor.empty().arrive();
    else cursor.empty().arriveAt(k.constant(0));
    cursor.advance();
    return answer;
  }

  private I32 place(Pipeline.Cursor cursor) {
    return answers.plus(cursor.stage().times(LaunchControl.BYTES));
  }
}
