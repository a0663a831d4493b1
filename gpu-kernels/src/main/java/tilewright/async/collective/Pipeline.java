package tilewright.async.collective;

import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;

/**
 * A ring of stages between a producer and consumers. Each stage has a barrier that completes when its bytes have landed
 * and one that completes when all consumers are done with it (CUTLASS, PipelineTmaAsync).
 */
public final class Pipeline {
  /** The fewest stages: with one, nothing would be loaded while something is multiplied. */
  public static final int LEAST_STAGES = 2;

  private final Scope k;
  private final int stages;
  private final int blocks;
  private final I32 firstBlock;
  private final I32 full;
  private final Optional<I32> empty;

  private Pipeline(Scope k, int stages, int blocks, I32 firstBlock, I32 full, Optional<I32> empty) {
    this.k = k;
    this.stages = stages;
    this.blocks = blocks;
    this.firstBlock = firstBlock;
    this.full = full;
    this.empty = empty;
  }

  /**
   * Sets the barriers aside and has one thread initialise them. A barrier for all threads that use them follows.
   *
   * @param first true for that thread
   * @param consumers of each block
   */
  public static Pipeline of(Scope k, int stages, Pred first, int consumers) {
    return of(k, stages, first, 1, consumers, 1, k.constant(0));
  }

  /**
   * Reserves a ring for CTAs of a cluster that fill each other's stages; a stage is free when all their consumers are
   * done.
   */
  public static Pipeline of(Scope k, int stages, Pred first, int consumers, Cluster cluster) {
    return of(k, stages, first, 1, consumers, cluster);
  }

  /** Reserves such a ring with several producers, each of which loads a part of every stage. */
  public static Pipeline of(Scope k, int stages, Pred first, int producers, int consumers, Cluster cluster) {
    return of(k, stages, first, producers, consumers, cluster.shape().sharers(), cluster.firstSharer());
  }

  /** Reserves a ring in every CTA of a cluster; stages of the same number are free together. */
  public static Pipeline together(Scope k, int stages, Pred first, int consumers, int blocks) {
    return of(k, stages, first, 1, consumers, blocks, k.constant(0));
  }

  private static Pipeline of(Scope k, int stages, Pred first, int producers, int consumers, int blocks,
      I32 firstBlock) {
    if (stages < LEAST_STAGES) {
      throw new TraceException("a ring of " + stages + " stages cannot copy and compute at once: " + LEAST_STAGES
          + " or more");
    }
    return published(k, first, ring(k, stages, first, producers, consumers * blocks, blocks, firstBlock));
  }

  /**
   * Reserves a ring with any number of stages and of arrivals, which its users make themselves. The caller publishes
   * the barriers of all rings at once.
   *
   * @param fills arrivals that a stage's full barrier waits for
   * @param releases arrivals that its empty barrier waits for; with 0 there is none, and another ring orders reuse
   */
  public static Pipeline ring(Scope k, int stages, Pred first, int fills, int releases) {
    return ring(k, stages, first, fills, releases, 1, k.constant(0));
  }

  private static Pipeline ring(Scope k, int stages, Pred first, int fills, int releases, int blocks,
      I32 firstBlock) {
    int kinds = releases > 0 ? 2 : 1;
    var barriers = k.sharedBytes(kinds * stages * Mbarrier.BYTES);
    var pipeline = new Pipeline(k, stages, blocks, firstBlock, barriers,
        releases > 0 ? Optional.of(barriers.plus(stages * Mbarrier.BYTES)) : Optional.empty());
    k.when(first, () -> {
      for (int stage = 0; stage < stages; stage++) {
        pipeline.barrier(pipeline.full, k.constant(stage)).initialise(fills);
        if (releases > 0) pipeline.emptyBarrier(k.constant(stage)).initialise(releases);
      }
    });
    return pipeline;
  }

  private Mbarrier emptyBarrier(I32 stage) {
    return barrier(empty.orElseThrow(() -> new TraceException("a ring without releases has no empty barriers")), stage);
  }

  private static Pipeline published(Scope k, Pred first, Pipeline pipeline) {
    k.when(first, () -> Mbarrier.publish(k));
    return pipeline;
  }

  private Mbarrier barrier(I32 first, I32 stage) {
    return new Mbarrier(k, first.plus(stage.times(Mbarrier.BYTES)));
  }

  /** The producer's place in the ring. Stages are free at first, as if a phase before the first had ended. */
  public Cursor producer() {
    return new Cursor(1);
  }

  /** A consumer's place in the ring. */
  public Cursor consumer() {
    return new Cursor(0);
  }

  /**
   * The producer's place that moves when another ring's of as many stages does: it takes no registers, and only the
   * other is advanced.
   */
  public Cursor producer(Cursor lead) {
    return new Cursor(1, lead);
  }

  /** A consumer's place that moves when another ring's of as many stages does. */
  public Cursor consumer(Cursor lead) {
    return new Cursor(0, lead);
  }

  /** A stage and the parity of the phase that its user waits for. */
  public final class Cursor {
    private final int ringStages = stages;
    private final int start;
    private final int flip;
    private final I32.Variable stage;
    private final I32.Variable parity;

    private Cursor(int parity) {
      this.start = parity;
      this.flip = 0;
      this.stage = k.variable(k.constant(0), stages - 1);
      this.parity = k.variable(k.constant(parity), 1);
    }

    private Cursor(int parity, Cursor lead) {
      if (lead.ringStages != stages) {
        throw new TraceException("a ring of " + stages + " stages does not move with one of " + lead.ringStages);
      }
      this.start = parity;
      this.flip = parity ^ lead.start ^ lead.flip;
      this.stage = lead.stage;
      this.parity = lead.parity;
    }

    private I32 parity() {
      return flip == 0 ? parity.value() : parity.value().xor(k.constant(1));
    }

    public I32 stage() {
      return stage.value();
    }

    /** The barrier of the stage that completes when it is full. */
    public Mbarrier full() {
      return barrier(full, stage());
    }

    /** The barrier of the stage that completes when all are done with it. */
    public Mbarrier empty() {
      return emptyBarrier(stage());
    }

    /** Producer: waits until the stage is free. */
    public void awaitEmpty() {
      empty().await(parity());
    }

    /** Producer: waits until the stage is free and expects so many bytes in it; copies complete on the result. */
    public Mbarrier acquire(int bytes) {
      awaitEmpty();
      return expect(bytes);
    }

    /**
     * Producer: expects this number of bytes in a stage that is free already, and publishes what the thread has written
     * to it.
     */
    public Mbarrier expect(int bytes) {
      var landed = full();
      landed.arriveExpecting(k.constant(bytes));
      return landed;
    }

    /** Consumer: waits until the stage's bytes have landed. */
    public void awaitFull() {
      full().await(parity());
    }

    /**
     * Consumer: is done with the stage, and says so to every block that fills it.
     *
     * @param lane of one of the consumer's threads; those from 0 on say it, each to one block
     */
    public void release(I32 lane) {
      var free = empty();
      k.when(lane.lessThan(blocks), () -> {
        if (blocks == 1) free.arrive();
        else free.arriveAt(firstBlock.plus(lane));
      });
    }

    /** Consumer: is done with the stage and goes on to the next. */
    public void releaseAndAdvance(I32 lane) {
      release(lane);
      advance();
    }

    /**
     * Producer: ends its work. Where blocks fill each other's stages, none may exit while another still signals its
     * barriers: it waits until all stages are free (CUTLASS, producer_tail).
     */
    public void finish() {
      if (blocks == 1) return;
      k.loop(k.constant(stages), _ -> {
        awaitEmpty();
        advance();
      });
    }

    /** Leaves out so many stages, which another consumer takes. */
    public void skip(I32 count) {
      var place = stage().plus(count);
      parity.set(parity.value().xor(place.dividedBy(stages).and(1)));
      stage.set(place.modulo(stages));
    }

    /** Goes on to the next stage; behind the last comes the first, in its next phase. */
    public void advance() {
      var next = stage().plus(1);
      var wraps = next.equalTo(stages);
      parity.set(parity.value().xor(k.constant(1).where(wraps, 0)));
      stage.set(next.where(stage().lessThan(stages - 1), 0));
    }
  }
}
