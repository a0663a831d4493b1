package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTileScheduler.Tile;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * The tiles of queries of all sequences, and their slots in the {@link GradientWorkspace}.
 *
 * @param queries of a batch entry, where lengths are fixed
 * @param perEntry tiles of a batch entry, where lengths are fixed
 */
public record QueryTiles(Scope k, int tileM, I32 queries, I32 perEntry, Optional<PackedTiles> packed) {

  /** Creates the tiles of entries of fixed length, or of the packed sequences of {@code cuQ}. */
  public static QueryTiles of(Scope k, int tileM, I32 queries, boolean packed) {
    return new QueryTiles(k, tileM, queries, queries.ceilDiv(tileM), packed
        ? Optional.of(new PackedTiles(k.global(AttentionSpecs.lengths("cuQ")), tileM)) : Optional.empty());
  }

  /** Returns the slot of a tile, given its batch entry or sequence, whose begin is read, and its number there. */
  public I32 slot(I32 entry, I32 number) {
    return packed.map(tiles -> tiles.slot(entry, number)).orElseGet(() -> entry.times(perEntry).plus(number));
  }

  /** Returns the slot of a tile by its sequence's begin, which all threads hold: they need not wait for a read. */
  I32 slot(KeyBlock.Tile tile) {
    return packed.map(_ -> PackedTiles.firstSlot(tile.sequence().firstQuery().settled(), tile.batch(), tileM)
        .plus(tile.number())).orElseGet(() -> slot(tile.batch(), tile.number()));
  }

  /** Returns the tile of a slot: its number in its batch entry or sequence. */
  Tile tile(I32 slot, I32 head) {
    return packed.map(tiles -> tiles.tile(k, new Tile(slot, head, k.constant(0))))
        .orElseGet(() -> new Tile(slot.modulo(perEntry), head, slot.dividedBy(perEntry)));
  }

  /** Returns the rows of a batch entry or sequence, with as many keys as queries. */
  SeqlenInfo rows(I32 entry) {
    return packed.map(tiles -> SeqlenInfo.packed(tiles.lengths(), tiles.lengths(), entry))
        .orElseGet(() -> SeqlenInfo.fixed(queries, queries));
  }
}
