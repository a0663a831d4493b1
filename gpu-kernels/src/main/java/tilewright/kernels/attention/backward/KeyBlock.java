package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.collective.attention.SequenceHead;
import tilewright.kernels.attention.TileList;

/**
 * The block of keys that a CTA has, of one head of K, and the tiles of queries that see it: those of every head of Q
 * that reads the head.
 *
 * @param number of the block in its sequence
 * @param firstKey its first key, counted from the sequence's begin
 * @param sharers heads of Q that read the head of K
 * @param list of the tiles in which a mask shows some key of the block, where others are skipped
 */
public record KeyBlock(Scope k, I32 number, I32 firstKey, I32 headOfKeys, I32 sharers, I32 batch, SeqlenInfo sequence,
    QueryBlocks tiles, Optional<TileList> list) {

  /** Whether the sequence has the block. */
  public Pred exists() {
    return firstKey.lessThan(sequence.keys());
  }

  /** Returns this block, for numbers that are computed from it here, and not before. */
  public KeyBlock settled() {
    return new KeyBlock(k, number.settled(), firstKey.settled(), headOfKeys.settled(), sharers.settled(),
        batch.settled(), sequence.settled(), tiles.settled(), list.map(TileList::settled));
  }

  /** The number of tiles of all heads. */
  public I32 count() {
    return list.map(TileList::count).orElseGet(() -> tiles.end().minus(tiles.first()).times(sharers));
  }

  /**
   * A tile of queries of one head.
   *
   * @param place in the block's list, or in no list 0
   */
  public record Tile(I32 number, I32 head, I32 headOfKeys, I32 batch, SeqlenInfo sequence, I32 place)
      implements SequenceHead {}

  /** The block seen as a tile, for coordinates in K and V. */
  public Tile itself() {
    return new Tile(number, headOfKeys.times(sharers), headOfKeys, batch, sequence, k.constant(0));
  }

  /** The order of a block's tiles. */
  public enum Order {
    /** One head after the other, each from its first tile on. */
    BY_HEAD,
    /**
     * One tile of all heads after the other, from the last on: blocks that begin at a diagonal are at the same tile,
     * so that Q, dO and dQ of many heads stay in L2.
     */
    BY_TILE
  }

  /** A walk through the tiles by heads, or in the list's order. */
  public Walk walk() {
    return walk(Order.BY_HEAD);
  }

  /** A walk through the tiles; a list has an order of its own. */
  public Walk walk(Order order) {
    return new Walk(order);
  }

  /** The place of a walk through the tiles. */
  public final class Walk {
    private final Optional<Listed> listed = list.map(Listed::new);
    private final Order order;
    private final I32.Variable number;
    private final I32.Variable head;

    private Walk(Order order) {
      this.order = order;
      var first = order == Order.BY_HEAD ? tiles.first() : tiles.end().plus(-1);
      number = k.variable(listed.map(Listed::tile).orElse(first), GlobalTensor.MAX_EXTENT);
      head = k.variable(headOfKeys.times(sharers).plus(listed.map(Listed::sharer).orElse(k.constant(0))),
          GlobalTensor.MAX_EXTENT);
    }

    public Tile tile() {
      return new Tile(number.value(), head.value(), headOfKeys, batch, sequence,
          listed.map(walked -> walked.place.value()).orElse(k.constant(0)));
    }

    /** Whether some query of the tile may not see all of the block. */
    public Pred masked() {
      return tiles.masked(number.value());
    }

    public void advance() {
      if (listed.isPresent()) {
        listed.get().advance();
        number.set(listed.get().tile());
        head.set(headOfKeys.times(sharers).plus(listed.get().sharer()));
        return;
      }
      switch (order) {
        case BY_HEAD -> {
          var next = number.value().plus(1);
          var ends = next.lessThan(tiles.end()).not();
          head.set(head.value().plus(k.constant(1).where(ends, 0)));
          number.set(tiles.first().where(ends, next));
        }
        case BY_TILE -> {
          var first = headOfKeys.times(sharers);
          var next = head.value().plus(1);
          var ends = next.lessThan(first.plus(sharers)).not();
          number.set(number.value().plus(k.constant(-1).where(ends, 0)));
          head.set(first.where(ends, next));
        }
      }
    }
  }

  /** The place of a walk in a list. */
  private final class Listed {
    private final TileList list;
    private final I32.Variable place = k.variable(k.constant(0), GlobalTensor.MAX_EXTENT);
    private I32 entry;

    Listed(TileList list) {
      this.list = list;
      entry = list.at(place.value());
    }

    I32 tile() {
      return TileList.tile(entry);
    }

    I32 sharer() {
      return TileList.sharer(entry);
    }

    void advance() {
      place.set(place.value().plus(1));
      entry = list.at(place.value());
    }
  }
}
