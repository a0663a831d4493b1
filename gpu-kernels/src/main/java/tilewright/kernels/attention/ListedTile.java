package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.AttentionTileScheduler.Tile;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.numerics.ElementType;

/**
 * The tile of queries or block of keys that a CTA makes a list for: its place in the grid (number, head, batch entry),
 * or of packed sequences the tile in that slot.
 *
 * @param exists whether there is such a tile; a slot of packed sequences may be empty
 */
record ListedTile(Tile tile, SeqlenInfo sequence, Pred exists) {
  /** The tensor whose extents are the numbers of queries, keys and heads of queries; nothing of it is read. */
  static final TensorSpec LENGTHS = TensorSpec.of("lengths", ElementType.I32, "Sq", "Sk", "H");

  /**
   * Finds the tile of this CTA, and lets the CTAs of launches without any leave.
   *
   * @param lengths the name of the cumulated lengths that tiles divide, {@code cuQ} or {@code cuK}; none where lengths
   *     are fixed
   * @param extent rows of a tile
   */
  static ListedTile of(Scope s, Optional<String> lengths, int extent) {
    var place = new Tile(s.blockX(), s.blockY(), s.blockZ());
    if (lengths.isEmpty()) {
      var extents = s.global(LENGTHS);
      return new ListedTile(place, SeqlenInfo.fixed(extents.extent(0), extents.extent(1)), Pred.known(s, true));
    }
    var slots = new PackedTiles(s.global(AttentionSpecs.lengths(lengths.get())), extent);
    s.leave(slots.lengths().extent(0).lessThan(2));
    var tile = slots.tile(s, place);
    var sequence = SeqlenInfo.packed(s.global(AttentionSpecs.lengths("cuQ")), s.global(AttentionSpecs.lengths("cuK")),
        tile.batch());
    return new ListedTile(tile, sequence, slots.exists(tile));
  }
}
