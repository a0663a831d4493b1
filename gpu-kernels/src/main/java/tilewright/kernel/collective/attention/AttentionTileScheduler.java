package tilewright.kernel.collective.attention;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * The order of tiles of queries: tiles of a few heads at a time, so that their keys and values stay in L2, and
 * among these, where later queries see more keys, the longest first, so that none is left at the end
 * (longest-processing-time-first; FlashAttention-3, tile_scheduler.hpp).
 *
 * @param tiles of queries per head
 * @param heads of all batch entries, of one entry
 * @param headsTogether heads whose tiles run side by side
 * @param headsBeforeLast heads before the last group, a multiple of these; without it, that one is no larger
 */
public record AttentionTileScheduler(I32 tiles, I32 heads, I32 batch, I32 headsTogether,
    Optional<I32> headsBeforeLast, boolean longestFirst) {
  /** The argument of a launch that says how many heads' tiles run side by side. */
  public static final String HEADS_TOGETHER = "headsTogether";
  /** The argument of a launch that says how many heads come before the last group. */
  public static final String HEADS_BEFORE_LAST = "headsBeforeLast";

  /** Groups of one size, the last perhaps smaller. */
  public AttentionTileScheduler(I32 tiles, I32 heads, I32 batch, I32 headsTogether, boolean longestFirst) {
    this(tiles, heads, batch, headsTogether, Optional.empty(), longestFirst);
  }

  /** Groups of a size that is known when the kernel is traced. */
  public AttentionTileScheduler(I32 tiles, I32 heads, I32 batch, int headsTogether, boolean longestFirst) {
    this(tiles, heads, batch, tiles.constant(headsTogether), longestFirst);
  }

  /** A tile of queries: its number, head and batch entry. */
  public record Tile(I32 number, I32 head, I32 batch) {}

  /** This worker's tiles, one after the other. */
  public void persistent(Scope k, I32 worker, I32 workers, Consumer<Tile> body) {
    k.loop(worker, count(), workers, index -> body.accept(tile(index)));
  }

  /** How many tiles there are. */
  public I32 count() {
    return tiles.times(heads).times(batch);
  }

  /** The tile of that number in the order; a launch with a CTA for each has them in x. */
  public Tile tile(I32 index) {
    var perGroup = tiles.times(headsTogether);
    var begin = index.dividedBy(perGroup).times(headsTogether);
    var firstHead = headsBeforeLast.map(begin::min).orElse(begin);
    var inGroup = headsBeforeLast.isPresent() ? index.minus(firstHead.times(tiles)) : index.modulo(perGroup);
    var left = heads.times(batch).minus(firstHead);
    var together = headsBeforeLast.map(last -> left.where(firstHead.equalTo(last), headsTogether))
        .orElseGet(() -> left.min(headsTogether));
    var number = inGroup.dividedBy(together);
    var head = firstHead.plus(inGroup.modulo(together));
    if (longestFirst) number = tiles.plus(-1).minus(number);
    return new Tile(number, head.modulo(heads), head.dividedBy(heads));
  }
}
