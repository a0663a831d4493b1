package tilewright.kernels.attention;

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
import tilewright.kernel.collective.attention.SeqlenInfo;

/** The SM80 kernel's tensors in global memory, and what of them belongs to a tile of queries. */
final class AttentionTensors {
  private final Scope k;
  private final Sm80AttentionConfig config;
  private final GlobalTensor q;
  private final GlobalTensor keys;
  private final GlobalTensor values;
  private final GlobalTensor o;
  private final Optional<GlobalTensor> lse;
  private final Optional<Lengths> lengths;
  private final F32 scale;
  private final AttentionTileScheduler scheduler;

  /** Cumulated lengths of packed sequences. */
  private record Lengths(GlobalTensor queries, GlobalTensor keys) {}

  AttentionTensors(Scope k, Sm80AttentionConfig config) {
    this.k = k;
    this.config = config;
    q = k.global(config.q());
    keys = k.global(config.k());
    values = k.global(config.v());
    o = k.global(config.o());
    lse = config.lse() ? Optional.of(k.global(config.logSumExp())) : Optional.empty();
    scale = k.scalar("scale");
    lengths = config.packed()
        ? Optional.of(new Lengths(k.global(config.lengths("cuQ")), k.global(config.lengths("cuK")))) : Optional.empty();
    scheduler = scheduler();
    // A sequence's lengths are read before it is known whether it has the tile.
    if (config.packed()) k.leave(scheduler.count().lessThan(1));
  }

  /** Packed sequences all get as many tiles as the longest has, which only the launch knows. */
  private AttentionTileScheduler scheduler() {
    var entries = lengths.map(l -> l.queries.extent(0).plus(-1)).orElse(q.extent(3));
    var heads = config.packing().heads() == 1 ? q.extent(2) : keys.extent(2);
    var tiles = lengths.isPresent() ? k.gridX().dividedBy(heads.times(entries))
        : config.packing().rows(q.extent(0)).ceilDiv(config.shape().tileM());
    return new AttentionTileScheduler(tiles, heads, entries, config.shape().headsTogether(),
        config.band().right().isPresent());
  }

  F32 scale() {
    return scale;
  }

  /**
   * A tile of queries.
   *
   * @param head of Q, the first one of those that are packed
   * @param firstRow its first row, counted from the sequence's begin
   */
  record Tile(AttentionTileScheduler.Tile place, I32 head, SeqlenInfo sequence, I32 firstRow, Pred exists) {}

  /** The tile that a CTA works on. */
  Tile tile(I32 block) {
    var place = scheduler.tile(block);
    var sequence = lengths.map(l -> SeqlenInfo.packed(l.queries, l.keys, place.batch()))
        .orElseGet(() -> SeqlenInfo.fixed(q.extent(0), keys.extent(0)));
    var firstRow = place.number().times(config.shape().tileM());
    return new Tile(place, place.head().times(config.packing().heads()), sequence, firstRow,
        scheduler.count().atLeast(1).and(firstRow.lessThan(config.packing().rows(sequence.queries()))));
  }

  /** The blocks of keys that a tile looks at. */
  BlockOrder blocks(Tile tile) {
    return config.blockMask() ? BlockLists.of(k, tile.place)
        : BlockInfo.of(config.band(), tile.sequence, tile.firstRow, config.shape().tileM(), config.shape().tileN(),
            config.packing());
  }

  /** A tile's rows of Q. */
  GlobalTensor queries(Tile tile) {
    return rows(q, tile);
  }

  /** A tile's rows of O. */
  GlobalTensor output(Tile tile) {
    return rows(o, tile);
  }

  /** A tile's rows of the logarithms, where they are stored. */
  Optional<GlobalTensor> logarithms(Tile tile) {
    return lse.map(tensor -> packed(tensor.part(0, tile.sequence.firstQuery(), tile.sequence.queries()), 1)
        .from(tile.firstRow, tile.head, entry(tile)));
  }

  /** The keys that a tile's head reads: all of its sequence. */
  GlobalTensor keys(Tile tile) {
    return head(keys, 0, tile.sequence.firstKey(), tile.sequence.keys(), headOfKeys(tile), entry(tile));
  }

  /** The values that a tile's head reads. */
  GlobalTensor values(Tile tile) {
    return head(values, 1, tile.sequence.firstKey(), tile.sequence.keys(), headOfKeys(tile), entry(tile));
  }

  private GlobalTensor rows(GlobalTensor tensor, Tile tile) {
    var zero = k.constant(0);
    return packed(head(tensor, 0, tile.sequence.firstQuery(), tile.sequence.queries(), tile.head, entry(tile)), 2)
        .from(tile.firstRow, zero, zero, zero);
  }

  private GlobalTensor packed(GlobalTensor tensor, int headMode) {
    int heads = config.packing().heads();
    return heads == 1 ? tensor : tensor.interleaved(0, headMode, heads);
  }

  private I32 headOfKeys(Tile tile) {
    return config.packing().heads() == 1 ? tile.head.dividedBy(q.extent(2).dividedBy(keys.extent(2)))
        : tile.place.head();
  }

  private I32 entry(Tile tile) {
    return config.packed() ? k.constant(0) : tile.place.batch();
  }

  /** A sequence's part of one head; {@code along} is the mode that counts its rows. */
  private static GlobalTensor head(GlobalTensor whole, int along, I32 first, I32 count, I32 head, I32 entry) {
    var zero = first.constant(0);
    return whole.from(zero, zero, head, entry).covered(2).covered(3).part(along, first, count);
  }
}
