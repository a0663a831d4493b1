package tilewright.kernel.collective.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * Blocks of keys from a block mask: for each tile of queries a list of those that it sees in part and one of those that
 * it sees whole, each from the last to the first (FlexAttention's BlockMask). Blocks in neither are skipped. Tiles of
 * packed sequences are numbered by their {@linkplain PackedTiles slots}, in one batch entry.
 *
 * @param partial (blocks) of this tile; likewise {@code full}
 */
public record BlockLists(GlobalTensor partial, I32 partials, GlobalTensor full, I32 fulls) implements BlockOrder {

  /** How many blocks of each kind: (2, tiles, heads, batch), those in part first. */
  public static TensorSpec counts() {
    return TensorSpec.of("blockCounts", ElementType.I32, "Kinds", "Tiles", "H", "B").contiguous("Kinds")
        .fixed("Kinds", 2);
  }

  /** A list of blocks: (blocks, tiles, heads, batch). */
  public static TensorSpec list(String name) {
    return TensorSpec.of(name, ElementType.I32, "Blocks", "Tiles", "H", "B").contiguous("Blocks");
  }

  /** The lists of one tile. */
  public static BlockLists of(Scope k, AttentionTileScheduler.Tile tile) {
    var zero = k.constant(0);
    var counts = k.global(counts()).from(zero, tile.number(), tile.head(), tile.batch());
    return new BlockLists(k.global(list("partialBlocks")).from(zero, tile.number(), tile.head(), tile.batch()),
        counts.at(zero, zero, zero, zero).loadInteger(GlobalTensor.MAX_EXTENT),
        k.global(list("fullBlocks")).from(zero, tile.number(), tile.head(), tile.batch()),
        counts.at(k.constant(1), zero, zero, zero).loadInteger(GlobalTensor.MAX_EXTENT));
  }

  /**
   * The lists of one tile of packed sequences, which are at its {@linkplain PackedTiles slot}.
   *
   * @param queries of a tile
   */
  public static BlockLists packed(Scope k, AttentionTileScheduler.Tile tile, SeqlenInfo sequence, int queries) {
    var slot = PackedTiles.firstSlot(sequence.firstQuery(), tile.batch(), queries).plus(tile.number());
    return of(k, new AttentionTileScheduler.Tile(slot, tile.head(), k.constant(0)));
  }

  @Override
  public Pred any() {
    return partials.plus(fulls).atLeast(1);
  }

  @Override
  public I32 begin() {
    var zero = partials.constant(0);
    return entry(partial, zero).where(partials.atLeast(1), entry(full, zero));
  }

  @Override
  public void visit(Scope k, Visitor visitor) {
    k.loop(partials, i -> {
      var another = i.plus(1).lessThan(partials);
      var next = entry(partial, i.plus(1)).where(another, entry(full, k.constant(0)));
      visitor.accept(entry(partial, i), true, next, another.or(fulls.atLeast(1)));
    });
    k.loop(fulls, i -> visitor.accept(entry(full, i), false, entry(full, i.plus(1)), i.plus(1).lessThan(fulls)));
  }

  /** The block at a place in the order; any block where there is none. */
  I32 block(I32 place) {
    return entry(partial, place).where(place.lessThan(partials), entry(full, place.minus(partials).max(0)));
  }

  /** An entry, or the last where the list has none there. */
  private static I32 entry(GlobalTensor list, I32 i) {
    var zero = i.constant(0);
    return list.at(i.min(list.extent(0).plus(-1)), zero, zero, zero).loadInteger(GlobalTensor.MAX_EXTENT);
  }
}
