package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * The tiles of queries, of all heads that read a block's head of keys, in which a mask shows some key of the block: the
 * transpose of the forward pass's lists. An entry is the tile's number, and its head's among the sharers above that.
 *
 * @param block the block's row among the lists
 */
public record TileList(Scope k, I32 block, I32 headOfKeys, I32 batch, I32 count) {
  private static final int TILES = 1 << 20;
  static final int MOST_SHARERS = 1 << 9;

  /** The lengths of the lists: (blocks, heads of keys, batch). */
  static TensorSpec counts() {
    return TensorSpec.of("tileCounts", ElementType.I32, "KeyBlocks", "Hk", "B").contiguous("KeyBlocks");
  }

  /** The lists: (entries, blocks, heads of keys, batch). */
  static TensorSpec lists() {
    return ofEntries("tileList");
  }

  /** The number of blocks that add to each entry's tile before, where the order is fixed: like {@link #lists}. */
  static TensorSpec turns() {
    return ofEntries("tileTurns");
  }

  private static TensorSpec ofEntries(String name) {
    return TensorSpec.of(name, ElementType.I32, "TileEntries", "KeyBlocks", "Hk", "B").contiguous("TileEntries");
  }

  /** The list of a block. */
  public static TileList of(Scope k, I32 block, I32 headOfKeys, I32 batch) {
    var count = k.global(counts()).at(block, headOfKeys, batch).loadInteger(GlobalTensor.MAX_EXTENT);
    return new TileList(k, block, headOfKeys, batch, count.settled());
  }

  /** The entry for a tile. */
  static I32 entry(I32 tile, I32 sharer) {
    return tile.plus(sharer.times(TILES));
  }

  /** The entry at a place; any entry where there is none. */
  public I32 at(I32 place) {
    return read(lists(), place);
  }

  /** The number of blocks that add to the tile at a place before this one. */
  public I32 turn(I32 place) {
    return read(turns(), place);
  }

  private I32 read(TensorSpec spec, I32 place) {
    var zero = place.constant(0);
    var entries = k.global(spec).from(zero, block, headOfKeys, batch);
    return entries.at(place.min(entries.extent(0).plus(-1)), zero, zero, zero).loadInteger(GlobalTensor.MAX_EXTENT)
        .settled();
  }

  /** The tile of an entry. */
  public static I32 tile(I32 entry) {
    return entry.and(TILES - 1);
  }

  /** The number of its head among the sharers. */
  public static I32 sharer(I32 entry) {
    return entry.dividedBy(TILES);
  }

  /** Returns this list, for a length that is computed here, and not before. */
  public TileList settled() {
    return new TileList(k, block, headOfKeys, batch, count.settled());
  }
}
