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
  }

  /** Packed sequences all get as many tiles as the longest has, which only the launch knows. */
  private AttentionTileScheduler scheduler() {
    var entries = lengths.map(l -> l.queries.extent(0).plus(-1)).orElse(q.extent(3));
    var tiles = lengths.isPresent() ? k.gridX().dividedBy(q.extent(2).times(entries))
        : q.extent(0).ceilDiv(config.shape().tileM());
    return new AttentionTileScheduler(tiles, q.extent(2), entries, config.shape().headsTogether(),
        config.band().right().isPresent());
  }

  F32 scale() {
    return scale;
  }

  /**
   * A tile of queries.
   *
   * @param firstQuery its first row, counted from the sequence's begin
   */
  record Tile(AttentionTileScheduler.Tile place, SeqlenInfo sequence, I32 firstQuery) {
    /** Whether the sequence has it. */
    Pred exists() {
      return firstQuery.lessThan(sequence.queries());
    }
  }

  /** The tile that a CTA works on. */
  Tile tile(I32 block) {
    var place = scheduler.tile(block);
    var sequence = lengths.map(l -> SeqlenInfo.packed(l.queries, l.keys, place.batch()))
        .orElseGet(() -> SeqlenInfo.fixed(q.extent(0), keys.extent(0)));
    return new Tile(place, sequence, place.number().times(config.shape().tileM()));
  }

  /** The blocks of keys that a tile looks at. */
  BlockOrder blocks(Tile tile) {
    return config.blockMask() ? BlockLists.of(k, tile.place)
        : BlockInfo.of(config.band(), tile.sequence, tile.firstQuery, config.shape().tileM(), config.shape().tileN());
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
    return lse.map(tensor -> tensor.part(0, tile.sequence.firstQuery(), tile.sequence.queries())
        .from(tile.firstQuery, tile.place.head(), entry(tile)));
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
    return head(tensor, 0, tile.sequence.firstQuery(), tile.sequence.queries(), tile.place.head(), entry(tile))
        .from(tile.firstQuery, zero, zero, zero);
  }

  private I32 headOfKeys(Tile tile) {
    return tile.place.head().dividedBy(q.extent(2).dividedBy(keys.extent(2)));
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
