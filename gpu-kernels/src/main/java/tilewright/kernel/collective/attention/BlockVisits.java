package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * The blocks of keys that a tile of queries visits, at least one, for kernels whose copies and products run at
 * different places in the order.
 *
 * @param count of them
 * @param block the number of the block at a place from 0 on
 * @param stretches places from 1 on that are treated alike; of the first block some query may not see all
 */
public record BlockVisits(I32 count, UnaryOperator<I32> block, List<Stretch> stretches) {

  /** Places from {@code begin} to before {@code end}; {@code masked} where some query may not see all of a block. */
  public record Stretch(I32 begin, I32 end, boolean masked) {}

  /** Visits blocks from the last to the first; where no query sees any, one block that all have masked. */
  public static BlockVisits of(Band band, BlockInfo blocks) {
    return of(band, blocks, band.left().isPresent());
  }

  /** Like {@link #of(Band, BlockInfo)}, of a sequence whose first block may have keys that no query sees. */
  public static BlockVisits of(Band band, BlockInfo blocks, SeqlenInfo sequence) {
    return of(band, blocks, band.left().isPresent() || sequence.before().isPresent());
  }

  private static BlockVisits of(Band band, BlockInfo blocks, boolean hidesFirst) {
    var some = blocks.atLeastOne();
    var last = some.end().plus(-1);
    var inside = some.end().minus(some.insideEnd()).max(1);
    var left = some.end().minus(some.insideFirst());
    var count = some.end().minus(some.first());
    var stretches = new ArrayList<Stretch>();
    if (band.right().isPresent()) stretches.add(new Stretch(last.constant(1), inside, true));
    stretches.add(new Stretch(inside, left, false));
    if (hidesFirst) stretches.add(new Stretch(left.max(1), count, true));
    return new BlockVisits(count, last::minus, stretches);
  }

  /** Blocks that are seen in part, then those that are seen whole. */
  public static BlockVisits of(BlockLists lists) {
    var all = lists.partials().plus(lists.fulls());
    // Without any, the first, which the mask hides like all others.
    return new BlockVisits(all.max(1), place -> lists.block(place).where(all.atLeast(1), 0),
        List.of(new Stretch(all.constant(1), lists.partials(), true),
            new Stretch(lists.partials().max(1), all, false)));
  }

  /** The work on the block at a place. */
  @FunctionalInterface
  public interface Body {
    void accept(I32 place, boolean masked);
  }

  /** Goes through all places. */
  public void all(Scope k, Body body) {
    var first = stretches.getFirst();
    if (!first.masked) {
      body.accept(count.constant(0), true);
      others(k, body);
      return;
    }
    var begin = new BlockVisits(count, block, List.of(new Stretch(count.constant(0), first.end.max(1), true)));
    begin.others(k, body);
    new BlockVisits(count, block, stretches.subList(1, stretches.size())).others(k, body);
  }

  /** Goes through all places but the first. */
  public void others(Scope k, Body body) {
    for (var stretch : stretches) {
      k.loop(stretch.begin, stretch.end, 1, place -> body.accept(place, stretch.masked));
    }
  }
}
