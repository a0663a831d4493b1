package tilewright.sm90.attention;

import java.util.Optional;
import java.util.function.BiFunction;
import tilewright.async.atom.Mbarrier;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.sm90.atom.WgmmaAtom;

/** The thread that has a tile's queries, keys and values copied, keys a block before values. */
record AttentionProducer(Scope k, Sm90AttentionConfig config, VisitedBlocks blocks, Optional<PagedKeys> pages,
    TensorTile q, TensorTile key, TensorTile value,
    Pipeline.Cursor queries, Pipeline.Cursor keys, Pipeline.Cursor values) {

  void copy(AttentionTiles.Tile tile) {
    var visits = blocks.of(tile);
    var last = k.variable(visits.block().apply(k.constant(0)), GlobalTensor.MAX_EXTENT);
    copyKeys(tile, last.value());
    copyQueries(tile);
    k.loop(k.constant(1), visits.count(), 1, place -> {
      var block = visits.block().apply(place).settled();
      copyKeys(tile, block);
      copyValues(tile, last.value());
      last.set(block);
    });
    copyValues(tile, last.value());
  }

  private void copyQueries(AttentionTiles.Tile tile) {
    var landed = queries.acquire(config.shape().consumers() * q.bytes());
    var first = queries.stage().times(config.shape().consumers());
    for (int group = 0; group < config.shape().consumers(); group++) {
      q.load(k, first.plus(group), landed,
          coordinates().queries(tile, config.packing().rows(tile.query()).plus(group * WgmmaAtom.M), k.constant(0)));
    }
    queries.advance();
  }

  private void copyKeys(AttentionTiles.Tile tile, I32 block) {
    keys.awaitEmpty();
    blocks.leave(keys.stage(), block);
    var landed = keys.full();
    landed.arriveExpecting(k.constant(key.bytes()));
    load(key, 0, keys.stage(), landed, tile, block, coordinates()::keys);
    keys.advance();
  }

  private void copyValues(AttentionTiles.Tile tile, I32 block) {
    load(value, 1, values.stage(), values.acquire(value.bytes()), tile, block, coordinates()::values);
    values.advance();
  }

  /** Fills a stage with a block, whose keys a mode of the tile counts, from one place or from pages. */
  private void load(TensorTile to, int mode, I32 stage, Mbarrier landed, AttentionTiles.Tile tile, I32 block,
      BiFunction<AttentionTiles.Tile, I32, I32[]> coordinate) {
    int count = config.shape().keys();
    var first = tile.sequence().firstKeyOf(block, count);
    pages.ifPresentOrElse(
        p -> p.load(to, mode, count, stage, landed, tile, first, part -> coordinate.apply(part, k.constant(0))),
        () -> to.load(k, stage, landed, coordinate.apply(tile, first)));
  }

  private TileCoordinates coordinates() {
    return config.coordinates(k);
  }
}
