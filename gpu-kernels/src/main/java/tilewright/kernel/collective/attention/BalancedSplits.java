package tilewright.kernel.collective.attention;

import java.util.function.Consumer;
import java.util.function.Function;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.Shuffle;
import tilewright.numerics.ElementType;

/**
 * Shares of a batch's keys of equal cost, one for each worker. A share goes through the batch entries in their order,
 * and the keys of an entry that reaches over its end are split there (FlashMLA, get_mla_metadata). A worker is a
 * persistent CTA, or its pieces are CTAs of their own.
 *
 * <p>An entry costs its blocks of keys, and {@link #OVERHEAD} for the beginning and the end of a tile. The costs of all
 * entries before each and the cost of a share are the whole schedule: a worker finds its first entry in them, and
 * whoever merges the splits of an entry finds the workers that have them.
 *
 * @param schedule the costs of all entries before each, and of all together, and behind them that of a share:
 *     (batch + 2)
 */
public record BalancedSplits(Scope k, GlobalTensor schedule) {
  /** The name of the tensor with the schedule. */
  public static final String SCHEDULE = "schedule";
  /** Blocks of keys that take as long as what a tile has to do besides. */
  public static final int OVERHEAD = 2;
  /** The least cost of a share: with less, merging takes longer than what it saves. */
  public static final int LEAST = 4 + OVERHEAD;
  /** Integers of a schedule besides one for each entry. */
  public static final int BESIDES = 2;
  private static final int MOST = GlobalTensor.MAX_EXTENT;

  /** Shares as the launch says. */
  public static BalancedSplits atLaunch(Scope k) {
    return new BalancedSplits(k, k.global(spec()));
  }

  /** The tensor with the schedule. */
  public static TensorSpec spec() {
    return TensorSpec.of(SCHEDULE, ElementType.I32, "ScheduleEntries").contiguous("ScheduleEntries");
  }

  /** The blocks of keys that some query of an entry sees. */
  public static BlockInfo blocks(Band band, SeqlenInfo sequence, int keys) {
    return BlockInfo.of(band, sequence, sequence.queries().constant(0), MOST, keys);
  }

  /** The cost of an entry: one without keys has a tile, too. */
  public static I32 cost(BlockInfo blocks) {
    return blocks.end().minus(blocks.first()).max(1).plus(OVERHEAD);
  }

  /** Batch entries. */
  public I32 entries() {
    return schedule.extent(0).plus(-BESIDES);
  }

  private I32 before(I32 entry) {
    return schedule.at(entry).loadInteger(MOST);
  }

  private I32 total() {
    return before(entries());
  }

  private I32 share() {
    return before(entries().plus(1));
  }

  /** Visits the entries of which a worker has some blocks. */
  public void forEachEntry(I32 worker, Consumer<I32> body) {
    var begin = worker.times(share()).settled();
    k.when(begin.lessThan(total()), () -> {
      var entry = k.variable(last(middle -> before(middle).lessThan(begin.plus(1))), MOST);
      k.repeatUntil(() -> {
        var here = entry.value().settled();
        k.when(piece(worker, here).exists(), () -> body.accept(here));
        entry.set(here.plus(1));
        var end = worker.plus(1).times(share()).min(total());
        return before(entry.value()).lessThan(end).not();
      });
    });
  }

  /** The last entry that fulfils a condition, as all before it do. */
  private I32 last(Function<I32, Pred> condition) {
    var from = k.variable(k.constant(0), MOST);
    var to = k.variable(entries(), MOST);
    k.repeatUntil(() -> {
      var middle = from.value().plus(to.value()).dividedBy(2).settled();
      k.when(condition.apply(middle), () -> from.set(middle), () -> to.set(middle));
      return to.value().minus(from.value()).lessThan(2);
    });
    return from.value().settled();
  }

  /** A worker's part of an entry. */
  record Item(I32 worker, I32 entry) {}

  /**
   * The pieces of all shares: that of a worker and an entry has the sum of their numbers as its own, since another
   * piece has another worker or another entry, or both, and none fewer of either.
   */
  Item item(I32 number) {
    var entry = last(middle -> states(middle).worker().plus(middle).lessThan(number.plus(1)));
    var ofWarp = Shuffle.first(k, entry, MOST);
    return new Item(number.minus(ofWarp).settled(), ofWarp);
  }

  /**
   * Blocks of an entry that a worker has, counted from the entry's first.
   *
   * @param slot of the state that the piece leaves; 0 where it has all of the entry's blocks and leaves a result
   */
  record Piece(I32 first, I32 end, I32 slot) {
    /** Whether there are such blocks: a share may reach only into what an entry costs besides, or not into it. */
    Pred exists() {
      return first.lessThan(end);
    }

    /** Those of a tile's blocks that the piece has. */
    BlockInfo of(BlockInfo tile, I32 firstOfEntry) {
      return tile.within(firstOfEntry.plus(first), firstOfEntry.plus(end));
    }
  }

  Piece piece(I32 worker, I32 entry) {
    var firstBlock = before(entry).plus(OVERHEAD);
    var end = before(entry.plus(1));
    var begin = worker.times(share());
    var first = begin.minus(firstBlock).max(0);
    var stop = begin.plus(share()).min(end);
    var continues = first.lessThan(1).not();
    var whole = continues.not().and(stop.lessThan(end).not());
    var slot = worker.times(2).where(continues, worker.times(2).plus(1));
    return new Piece(first, stop.minus(firstBlock).max(0), k.constant(0).where(whole, slot));
  }

  /** The states that the splits of an entry leave: one where it is not split, which is none then. */
  public States states(I32 entry) {
    var share = share();
    var first = before(entry).plus(OVERHEAD).dividedBy(share);
    return new States(first, before(entry.plus(1)).plus(-1).dividedBy(share).minus(first).plus(1));
  }

  /**
   * The states of an entry: that of the worker that has its first blocks, and those of the workers behind it.
   *
   * @param worker that has the first blocks
   */
  public record States(I32 worker, I32 count) {
    /** Whether the entry is split, so that there are states to be merged. */
    public Pred exist() {
      return count.atLeast(2);
    }

    /** The slot of a state. */
    public I32 slot(I32 state) {
      var slot = worker.plus(state).times(2);
      return slot.plus(1).where(state.lessThan(1), slot);
    }

    /** Returns these, for numbers that are computed here, and not before. */
    public States settled() {
      return new States(worker.settled(), count.settled());
    }
  }

  /** The slots that workers leave states in: two each, of which the first worker's first is never used. */
  public static long slots(long workers) {
    return 2 * workers;
  }
}
