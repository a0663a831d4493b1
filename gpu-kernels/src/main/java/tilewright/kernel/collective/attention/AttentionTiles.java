package tilewright.kernel.collective.attention;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import tilewright.kernel.I32;

/**
 * The tiles of O that a launch computes.
 *
 * @param band which keys are seen, by distance
 * @param order in which tiles come, of a head for all that are packed
 * @param sharers heads of Q that read the same head of K
 * @param sequences where a batch entry's sequences lie
 * @param queries of a tile
 * @param keys of a block
 * @param splits of the keys, for each of which the order has a tile
 */
public record AttentionTiles(Band band, AttentionTileScheduler order, I32 sharers,
    Function<I32, SeqlenInfo> sequences, int queries, int keys, HeadPacking packing, Optional<SplitKeys> splits) {

  /** Creates tiles with one row for each query. */
  public AttentionTiles(Band band, AttentionTileScheduler order, I32 sharers, Function<I32, SeqlenInfo> sequences,
      int queries, int keys) {
    this(band, order, sharers, sequences, queries, keys, HeadPacking.NONE, Optional.empty());
  }

  /**
   * A tile of queries of one head, or of packed heads.
   *
   * @param query the first one, counted from the sequence's begin
   * @param head the first one
   * @param blocks of keys that some query of the tile sees, in its split
   * @param split of the keys, or the slot of its state; 0 where they are not split
   */
  public record Tile(I32 query, I32 head, I32 headOfKeys, I32 batch, SeqlenInfo sequence, BlockInfo blocks, I32 split)
      implements SequenceHead {
    /** Returns the same head with its rows elsewhere. */
    public Tile in(SeqlenInfo other) {
      return new Tile(query, head, headOfKeys, batch, other, blocks, split);
    }
  }

  /** The tile of that number in the scheduler's order. */
  public Tile tile(I32 index) {
    return tile(order.tile(index));
  }

  /** The sequence, rows and blocks of a tile from the scheduler. */
  public Tile tile(AttentionTileScheduler.Tile tile) {
    var query = splits.map(s -> s.tile(tile.number())).orElse(tile.number()).times(queries);
    var split = splits.map(s -> s.split(tile.number())).orElse(tile.number().constant(0));
    var sequence = sequences.apply(tile.batch());
    var head = tile.head().times(packing.heads());
    var all = BlockInfo.of(band, sequence, query, queries, keys);
    return new Tile(query, head, head.dividedBy(sharers), tile.batch(), sequence,
        splits.map(s -> s.of(all, split)).orElse(all), split);
  }

  /**
   * Computes the piece of a share that a CTA has, if there is one. For each piece there is a CTA for every tile of an
   * entry, heads side by side: neighbours in memory are read at a time.
   */
  public void piece(BalancedSplits shares, I32 cta, Consumer<Tile> body) {
    var perEntry = order.tiles().times(order.heads());
    var item = shares.item(cta.dividedBy(perEntry).settled());
    shares.k().when(shares.piece(item.worker(), item.entry()).exists(),
        () -> body.accept(piece(shares, cta.modulo(perEntry), item)));
  }

  /**
   * Visits the pieces of a CTA's share. For each worker there is a CTA for every tile of an entry, as above.
   *
   * @param body of a piece, which asks for the tile anew wherever it needs it
   */
  public void persistent(BalancedSplits shares, I32 cta, Consumer<Supplier<Tile>> body) {
    var perEntry = order.tiles().times(order.heads());
    shares.forEachEntry(cta.dividedBy(perEntry).settled(), entry -> body.accept(() -> piece(shares,
        cta.modulo(perEntry), new BalancedSplits.Item(cta.dividedBy(perEntry), entry))));
  }

  private Tile piece(BalancedSplits shares, I32 place, BalancedSplits.Item item) {
    var all = tile(new AttentionTileScheduler.Tile(place.dividedBy(order.heads()), place.modulo(order.heads()),
        item.entry()));
    var piece = shares.piece(item.worker(), item.entry());
    var first = BalancedSplits.blocks(band, all.sequence, keys).first();
    return new Tile(all.query, all.head, all.headOfKeys, all.batch, all.sequence, piece.of(all.blocks, first),
        piece.slot());
  }
}
