package tilewright.kernel.collective.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * Tiles of queries of sequences that lie one after the other. Sequence b has slots from cu[b] / queries + b on: at
 * least as many as it has tiles, and at most one more, so that no sum over the sequences before it is needed.
 *
 * @param lengths cumulated numbers of queries, from 0 on: one more than there are sequences
 * @param queries of a tile
 */
public record PackedTiles(GlobalTensor lengths, int queries) {

  /** Slots of all sequences, given the number of all their tokens. */
  public static long slots(long tokens, int sequences, int queries) {
    return tokens / queries + sequences;
  }

  /** Slots of all sequences. */
  public I32 slots() {
    return begin(sequences());
  }

  private I32 sequences() {
    return lengths.extent(0).plus(-1);
  }

  private I32 begin(I32 sequence) {
    return firstSlot(first(sequence), sequence, queries);
  }

  /** The first slot of a sequence whose first row is given. */
  public static I32 firstSlot(I32 row, I32 sequence, int rowsPerSlot) {
    return row.dividedBy(rowsPerSlot).plus(sequence);
  }

  /** The slot of a tile, given its number in its sequence. */
  public I32 slot(I32 sequence, I32 number) {
    return begin(sequence).plus(number);
  }

  private I32 first(I32 sequence) {
    return lengths.at(sequence).loadInteger(GlobalTensor.MAX_EXTENT);
  }

  /** The tile in a slot: its number in its sequence, which is the batch entry. */
  public AttentionTileScheduler.Tile tile(Scope k, AttentionTileScheduler.Tile slot) {
    var sequence = sequence(k, slot.number());
    return new AttentionTileScheduler.Tile(slot.number().minus(begin(sequence)), slot.head(), sequence);
  }

  /** The last sequence that does not begin behind a slot. */
  private I32 sequence(Scope k, I32 slot) {
    var from = k.variable(k.constant(0), GlobalTensor.MAX_EXTENT);
    var to = k.variable(sequences(), GlobalTensor.MAX_EXTENT);
    k.repeatUntil(() -> {
      var middle = from.value().plus(to.value()).dividedBy(2).settled();
      k.when(begin(middle).lessThan(slot.plus(1)), () -> from.set(middle), () -> to.set(middle));
      return to.value().minus(from.value()).lessThan(2);
    });
    return from.value().settled();
  }

  /** Whether a sequence has the tile of one of its slots. */
  public Pred exists(AttentionTileScheduler.Tile tile) {
    var end = first(tile.batch().plus(1)).minus(first(tile.batch()));
    return tile.number().times(queries).lessThan(end);
  }
}
