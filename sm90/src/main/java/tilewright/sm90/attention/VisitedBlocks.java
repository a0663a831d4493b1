package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.BlockVisits;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The blocks of keys that a tile visits, for the producer and the consumers. Where blocks come from lists, only the
 * producer reads them, and leaves the number beside each stage of keys: consumers have no registers for lists.
 *
 * @param left the numbers of the blocks in the stages
 */
record VisitedBlocks(Scope k, Sm90AttentionConfig config, Optional<SharedTensor> left) {

  static VisitedBlocks of(Scope k, Sm90AttentionConfig config) {
    return new VisitedBlocks(k, config, config.blockMask()
        ? Optional.of(k.shared(ElementType.I32, Layout.of(config.shape().stages(), 1))) : Optional.empty());
  }

  BlockVisits of(Tile tile) {
    if (!config.blockMask()) return BlockVisits.of(config.band(), tile.blocks(), tile.sequence());
    var place = new AttentionTileScheduler.Tile(tile.query().dividedBy(config.queries()), tile.head(), tile.batch());
    return BlockVisits.of(config.packed() ? BlockLists.packed(k, place, tile.sequence(), config.queries())
        : BlockLists.of(k, place));
  }

  /** Producer: says which block a stage of keys is about to have, before the copy is announced. */
  void leave(I32 stage, I32 block) {
    left.ifPresent(numbers -> numbers.at(stage).store(block));
  }

  /**
   * Consumer: the block at a place, whose keys a stage has.
   *
   * @param lane of the warp
   */
  I32 block(Tile tile, I32 place, I32 stage, I32 lane) {
    int most = GlobalTensor.MAX_EXTENT;
    return left.map(numbers -> List.<Supplier<I32>>of(() -> numbers.at(stage).loadInteger(most)))
        .map(read -> WarpRead.of(k, lane, most, read).getFirst())
        .orElseGet(() -> of(tile).block().apply(place));
  }
}
