package tilewright.sm100.attention;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.StridedIndices;
import tilewright.async.schedule.WorkIndices;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.BlockVisits;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.sm100.collective.CancelledLaunches;

/**
 * A CTA's work, tile by tile and block by block; every role goes through the same.
 *
 * @param packed slots of tiles, where sequences are packed
 * @param indices numbers of the CTA's tiles in the scheduler's order: dealt out in turns, or taken over from CTAs that
 *     have not begun
 */
record AttentionWork(Scope k, Sm100AttentionConfig config, AttentionTiles tiles, Optional<PackedTiles> packed,
    WorkIndices indices) {

  /**
   * Declares the work of a launch; where launches are cancelled, the caller publishes the barriers.
   *
   * @param first true for the thread that initialises them
   * @param readers threads and warps that go through the tiles
   */
  static AttentionWork of(Scope k, Sm100AttentionConfig config, TensorTile q, TensorTile key, Pred first, int readers) {
    if (config.packed()) {
      var slots = new PackedTiles(k.global(AttentionSpecs.lengths("cuQ")), config.queries());
      var keys = k.global(AttentionSpecs.lengths("cuK"));
      return of(k, config, tiles(config, q, key, slots.slots(), k.constant(1),
          entry -> SeqlenInfo.packed(slots.lengths(), keys, entry)), Optional.of(slots), first, readers);
    }
    var sequence = SeqlenInfo.fixed(q.extent(0), key.extent(0));
    return of(k, config, tiles(config, q, key, sequence.queries().ceilDiv(config.queries()), q.extent(3),
        _ -> sequence), Optional.empty(), first, readers);
  }

  private static AttentionWork of(Scope k, Sm100AttentionConfig config, AttentionTiles tiles,
      Optional<PackedTiles> packed, Pred first, int readers) {
    var always = k.constant(0).equalTo(0);
    var count = tiles.order().count();
    return new AttentionWork(k, config, tiles, packed, config.cancelling()
        ? CancelledLaunches.of(k, 1, always, first, readers, count)
        : new StridedIndices(k, k.blockX(), count, k.gridX()));
  }

  private static AttentionTiles tiles(Sm100AttentionConfig config, TensorTile q, TensorTile key, I32 rows, I32 batch,
      Function<I32, SeqlenInfo> sequences) {
    boolean diagonal = config.band().right().isPresent();
    var together = diagonal ? rows.parameter(AttentionTileScheduler.HEADS_TOGETHER) : rows.constant(1);
    var order = new AttentionTileScheduler(rows, q.extent(2), batch, together, diagonal);
    return new AttentionTiles(config.band(), order, q.extent(2).dividedBy(key.extent(2)), sequences, config.queries(),
        config.shape().keys());
  }

  /** Goes through this CTA's tiles in one thread. */
  void forEach(Consumer<Tile> body) {
    indices.forEach(index -> at(index, body));
  }

  /** Goes through them in all threads of a warp, of which {@code first} is true for the first lane. */
  void forEachOfWarp(Pred first, Consumer<Tile> body) {
    indices.forEachOfWarp(first, index -> at(index, body));
  }

  private void at(I32 index, Consumer<Tile> body) {
    var tile = tiles.order().tile(index);
    packed.ifPresentOrElse(slots -> {
      var found = slots.tile(k, tile);
      k.when(slots.exists(found), () -> body.accept(tiles.tile(found)));
    }, () -> body.accept(tiles.tile(tile)));
  }

  /** The blocks of keys that a tile visits. */
  BlockVisits blocks(Tile tile) {
    if (!config.blockMask()) return BlockVisits.of(config.band(), tile.blocks());
    var place = new AttentionTileScheduler.Tile(tile.query().dividedBy(config.queries()), tile.head(), tile.batch());
    return BlockVisits.of(config.packed() ? BlockLists.packed(k, place, tile.sequence(), config.queries())
        : BlockLists.of(k, place));
  }

  /** A tile's part of the rows' logarithms, from its sequence's first query on. */
  GlobalTensor logarithms(GlobalTensor all, Tile tile) {
    return all.part(0, tile.sequence().firstQuery(), tile.sequence().queries());
  }
}
