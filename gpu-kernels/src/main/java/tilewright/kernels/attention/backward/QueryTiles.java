package tilewright.kernels.attention.backward;

import java.util.Optional;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * The tiles of queries of all sequences, and their slots in the {@link GradientWorkspace}.
 *
 * @param perEntry tiles of a batch entry, where lengths are fixed
 */
public record QueryTiles(Scope k, int tileM, I32 perEntry, Optional<PackedTiles> packed) {

  /** Creates the tiles of entries of fixed length, or of the packed sequences of {@code cuQ}. */
  public static QueryTiles of(Scope k, int tileM, I32 queries, boolean packed) {
    return new QueryTiles(k, tileM, queries.ceilDiv(tileM), packed
        ? Optional.of(new PackedTiles(k.global(AttentionSpecs.lengths("cuQ")), tileM)) : Optional.empty());
  }

  /** Returns the slot of a tile, given its batch entry or sequence and its number there. */
  public I32 slot(I32 entry, I32 number) {
    return packed.map(tiles -> tiles.slot(entry, number)).orElseGet(() -> entry.times(perEntry).plus(number));
  }
}
