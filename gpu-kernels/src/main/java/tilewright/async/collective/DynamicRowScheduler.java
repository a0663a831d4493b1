package tilewright.async.collective;

import tilewright.async.atom.AsyncStore;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * A dynamic persistent scheduler of rows: clusters draw row numbers from a common counter, some ahead, and hand them to
 * all their threads. However unequal the SMs' shares of the bandwidth are, all end together, and rows that are worked
 * on at the same time are neighbours. The scratch tensor "tickets" of one integer is 0 before the launch and 0 again
 * after it.
 */
public final class DynamicRowScheduler {
  private static final int AHEAD = 2;

  private final Scope k;
  private final I32 rows;
  private final I32 rank;
  private final I32 clusters;
  private final int blocks;
  private final int places;
  private final Element counter;
  private final SharedTensor numbers;
  private final I32 barriers;

  /**
   * Sets the ring of row numbers aside and has one thread initialise it, which then publishes it, as
   * {@link Pipeline#of} does. A barrier for all threads of the cluster follows.
   *
   * @param rows that there are
   * @param rank of the block in its cluster
   * @param blocks of a cluster
   * @param stages of the ring that rows are copied to: a row is copied when all are done with that so many before
   */
  public DynamicRowScheduler(Scope k, Pred first, I32 rows, I32 rank, int blocks, int stages) {
    this.k = k;
    this.rows = rows;
    this.rank = rank;
    this.clusters = k.gridX().dividedBy(blocks);
    this.blocks = blocks;
    this.places = stages + AHEAD;
    this.counter = k.global(TensorSpec.of("tickets", ElementType.I32, "one").contiguous("one")).at(k.constant(0));
    this.numbers = k.shared(ElementType.I32, Layout.of(places, 1));
    this.barriers = k.sharedBytes(places * Mbarrier.BYTES);
    k.when(first, () -> {
      for (int place = 0; place < places; place++) barrier(k.constant(place)).initialise(1);
    });
  }

  private Mbarrier barrier(I32 place) {
    return new Mbarrier(k, barriers.plus(place.times(Mbarrier.BYTES)));
  }

  /** Whether a number is that of a row; those behind the last say that there are no more. */
  public Pred isRow(I32 number) {
    return number.lessThan(rows);
  }

  /** A number that is no row's. */
  public I32 none() {
    return rows;
  }

  /** One of the block's threads or warps that want every row's number. */
  public Reader reader() {
    return new Reader();
  }

  /** Its place in the ring. */
  public final class Reader {
    private final RingPlace place = new RingPlace(k, places);

    /** Waits for the next row's number. */
    public I32 next() {
      barrier(place.number()).await(place.parity());
      var number = numbers.at(place.number()).loadInteger(Integer.MAX_VALUE);
      place.advance();
      return number;
    }
  }

  /** The copy of one row. */
  public interface Copy {
    /** Starts the copy, once there is room; what is given is done when that has begun. */
    void start(I32 row, Runnable meanwhile);
  }

  /** Draws rows until there are no more and has each copied, in one thread of each CTA. */
  public void drawAll(Copy copy) {
    var reader = reader();
    var ahead = new RingPlace(k, places);
    for (int i = 0; i < AHEAD; i++) {
      expect(ahead);
      send(ahead, draw());
      ahead.advance();
    }
    k.repeatUntil(() -> {
      var row = reader.next();
      k.when(isRow(row), () -> {
        expect(ahead);
        var drawn = draw();
        copy.start(row, () -> send(ahead, drawn));
        ahead.advance();
      });
      return isRow(row).not();
    });
    // Nothing may land in a block that has gone.
    for (int i = 1; i < AHEAD; i++) reader.next();
  }

  /** Draws the next row; the first CTA of a cluster draws for all. */
  private I32 draw() {
    var tickets = rows.plus(clusters.times(AHEAD));
    if (blocks == 1) return counter.drawNext(tickets);
    var drawn = k.variable(k.constant(0), Integer.MAX_VALUE);
    k.when(rank.equalTo(0), () -> drawn.set(counter.drawNext(tickets)));
    return drawn.value();
  }

  private void expect(RingPlace place) {
    if (blocks > 1) barrier(place.number()).arriveExpecting(k.constant(Integer.BYTES));
  }

  private void send(RingPlace place, I32 number) {
    var here = numbers.at(place.number());
    var landed = barrier(place.number());
    if (blocks == 1) {
      here.store(number);
      landed.arrive();
      return;
    }
    k.when(rank.equalTo(0), () -> {
      for (int block = 0; block < blocks; block++) AsyncStore.store(k, here, k.constant(block), number, landed);
    });
  }
}
