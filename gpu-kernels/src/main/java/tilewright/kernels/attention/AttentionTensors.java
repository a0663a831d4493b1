package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.BlockInfo;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.BlockOrder;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.collective.attention.Sinks;
import tilewright.kernel.collective.attention.StoredTotals;

/** The SM80 kernel's tensors in global memory, and what of them belongs to a tile of queries. */
final class AttentionTensors {
  private final Scope k;
  private final AttentionVariant variant;
  private final GlobalTensor q;
  private final GlobalTensor keys;
  private final GlobalTensor values;
  private final GlobalTensor o;
  private final StoredTotals stored;
  private final Optional<Sinks> sinks;
  private final Optional<Lengths> lengths;
  private final F32 scale;
  private final AttentionTileScheduler scheduler;

  /** Cumulated lengths of packed sequences. */
  private record Lengths(GlobalTensor queries, GlobalTensor keys) {}

  AttentionTensors(Scope k, AttentionVariant variant) {
    this.k = k;
    this.variant = variant;
    q = k.global(variant.q());
    keys = k.global(variant.k());
    values = k.global(variant.v());
    o = k.global(variant.o());
    stored = StoredTotals.of(k, AttentionSpecs.statistics(variant.statistics()));
    sinks = variant.sinks() ? Optional.of(new Sinks(k, k.global(AttentionSpecs.sinks()), variant.packing()))
        : Optional.empty();
    scale = k.scalar("scale");
    lengths = variant.packed() ? Optional.of(lengths(k)) : Optional.empty();
    scheduler = scheduler();
    // A sequence's lengths are read before it is known whether it has the tile; a grid has no tile to ask.
    if (variant.packed() || variant.tilesInGrid()) k.leave(scheduler.count().lessThan(1));
  }

  private static Lengths lengths(Scope k) {
    return new Lengths(k.global(AttentionSpecs.lengths("cuQ")), k.global(AttentionSpecs.lengths("cuK")));
  }

  /** Packed sequences all get as many tiles as the longest has, which only the launch knows. */
  private AttentionTileScheduler scheduler() {
    var entries = lengths.map(l -> l.queries.extent(0).plus(-1)).orElse(q.extent(3));
    var heads = variant.packing().heads() == 1 ? q.extent(2) : keys.extent(2);
    var tiles = lengths.isPresent() ? k.gridX().dividedBy(heads.times(entries))
        : variant.packing().rows(q.extent(0)).ceilDiv(variant.tiling().tileM());
    return new AttentionTileScheduler(tiles, heads, entries, variant.headsTogether(),
        variant.band().right().isPresent());
  }

  F32 scale() {
    return scale;
  }

  /** The results of a thread's rows of a tile, with the sinks if there are any. */
  List<OnlineSoftmax.Total> withSinks(Tile tile, I32 thread, FragmentRows rows, List<OnlineSoftmax.Total> totals) {
    return sinks.map(s -> s.of(tile.head, tile.firstRow, thread, rows).addTo(totals)).orElse(totals);
  }

  /**
   * A tile of queries.
   *
   * @param head of Q, the first one of those that are packed
   * @param firstRow its first row, counted from the sequence's begin
   */
  record Tile(AttentionTileScheduler.Tile place, I32 head, SeqlenInfo sequence, I32 firstRow, Pred exists) {}

  /** The tile that this CTA works on. */
  Tile tile() {
    return variant.tilesInGrid() ? tile(new AttentionTileScheduler.Tile(k.blockX(), k.blockY(), k.blockZ()))
        : tile(scheduler.tile(k.blockX()));
  }

  /** The tile with addresses that are computed from here on, rather than held in registers through the loop. */
  Tile tileAgain(Tile tile) {
    return variant.tilesInGrid() ? tile : tile(scheduler.tile(k.blockX().settled()));
  }

  private Tile tile(AttentionTileScheduler.Tile place) {
    var sequence = lengths.map(l -> SeqlenInfo.packed(l.queries, l.keys, place.batch()))
        .orElseGet(() -> SeqlenInfo.fixed(q.extent(0), keys.extent(0)));
    var firstRow = place.number().times(variant.tiling().tileM());
    var exists = variant.tilesInGrid() ? Pred.known(k, true)
        : scheduler.count().atLeast(1).and(firstRow.lessThan(variant.packing().rows(sequence.queries())));
    return new Tile(place, place.head().times(variant.packing().heads()), sequence, firstRow, exists);
  }

  /** The blocks of keys that a tile looks at. */
  BlockOrder blocks(Tile tile) {
    int queries = variant.tiling().tileM();
    if (variant.blockMask()) {
      return lengths.isPresent() ? BlockLists.packed(k, tile.place, tile.sequence, queries)
          : BlockLists.of(k, tile.place);
    }
    return BlockInfo.of(variant.band(), tile.sequence, tile.firstRow, queries, variant.tiling().tileN(),
        variant.packing());
  }

  /** Whether a tile has any of its blocks; one of a grid has as many keys as queries. */
  Pred hasKeys(BlockOrder blocks) {
    return variant.tilesInGrid() ? Pred.known(k, true) : blocks.any();
  }

  /** The scales of blocks that a tile's head reads. */
  Optional<BlockScales.OfTile> blockScales(I32 thread, Tile tile) {
    return variant.blockScales().map(scales -> scales.of(k, thread, new BlockScales.Place(tile.firstRow, tile.head,
        headOfKeys(tile), tile.place.batch(), entry(tile), tile.sequence)));
  }

  /** The copies of a tile's rows of Q, and of the keys and values that its head reads: all of its sequence. */
  KeyValueTiles.Copies copies(I32 thread, Tile tile, SharedTiles shared, Optional<BlockScales.OfTile> scales) {
    var rows = variant.copyOfRows(k);
    int across = variant.accesses().order() == ValueOrder.COLUMN_MAJOR ? 0 : 1;
    return new KeyValueTiles.Copies(k, thread, variant,
        new KeyValueTiles.Operand(rows(q, tile, 0), 0, 0, rows, shared.q()),
        new KeyValueTiles.Operand(keys(tile), 0, 0, rows, shared.k()),
        new KeyValueTiles.Operand(values(tile), 1, across, variant.copyOfValues(k), shared.v()), scales);
  }

  /** A tile's rows of O from a column on. */
  GlobalTensor output(Tile tile, int column) {
    return rows(o, tile, column);
  }

  /** A tile's rows of the statistics that are stored. */
  StoredTotals stored(Tile tile) {
    return stored.map(tensor -> packed(tensor.part(0, tile.sequence.firstQuery(), tile.sequence.queries()), 1)
        .from(tile.firstRow, tile.head, entry(tile)));
  }

  private GlobalTensor keys(Tile tile) {
    return head(keys, 0, tile.sequence.firstKey(), tile.sequence.keys(), headOfKeys(tile), entry(tile));
  }

  private GlobalTensor values(Tile tile) {
    return head(values, 1, tile.sequence.firstKey(), tile.sequence.keys(), headOfKeys(tile), entry(tile));
  }

  private GlobalTensor rows(GlobalTensor tensor, Tile tile, int column) {
    var zero = k.constant(0);
    return packed(head(tensor, 0, tile.sequence.firstQuery(), tile.sequence.queries(), tile.head, entry(tile)), 2)
        .from(tile.firstRow, k.constant(column), zero, zero);
  }

  private GlobalTensor packed(GlobalTensor tensor, int headMode) {
    int heads = variant.packing().heads();
    return heads == 1 ? tensor : tensor.interleaved(0, headMode, heads);
  }

  /** The head of K and V that a tile reads. */
  I32 headOfKeys(Tile tile) {
    if (variant.tilesInGrid()) return tile.head;
    return variant.packing().heads() == 1 ? tile.head.dividedBy(q.extent(2).dividedBy(keys.extent(2)))
        : tile.place.head();
  }

  private I32 entry(Tile tile) {
    return variant.packed() ? k.constant(0) : tile.place.batch();
  }

  /** A sequence's part of one head; {@code along} is the mode that counts its rows. */
  private static GlobalTensor head(GlobalTensor whole, int along, I32 first, I32 count, I32 head, I32 entry) {
    var zero = first.constant(0);
    return whole.from(zero, zero, head, entry).covered(2).covered(3).part(along, first, count);
  }
}
