package tilewright.sm90.attention;

import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.RaggedRows;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;

/** The thread that has a tile's queries and its blocks of keys copied. */
record MlaProducer(Scope k, MlaConfig config, Optional<PagedKeys> pages, LatentTile q, LatentTile key,
    Pipeline.Cursor queries, Pipeline.Cursor keys) {

  void copy(Tile tile) {
    var visits = config.visits(tile);
    var coordinates = config.coordinates(k);
    var row = config.packing().rows(tile.query());
    q.load(k, queries.stage(), queries.expect(q.bytes()), column -> coordinates.queries(tile, row, column));
    k.loop(visits.count(), place -> {
      copyKeys(tile, visits.block().apply(place).settled(), keys.acquire(key.bytes()));
      keys.advance();
    });
  }

  private void copyKeys(Tile tile, I32 block, Mbarrier landed) {
    var first = tile.sequence().firstKeyOf(block, MlaConfig.KEYS);
    pages.ifPresentOrElse(
        p -> p.forEachPart(MlaConfig.KEYS, tile, first, (row, part) -> key.loadRows(k, row, p.part(), keys.stage(),
            landed, column -> coordinate(part, k.constant(0), column))),
        () -> key.load(k, keys.stage(), landed, column -> coordinate(tile, first, column)));
  }

  /** The coordinate of a key of the tile's sequence, which all heads read. */
  private I32[] coordinate(Tile tile, I32 row, I32 column) {
    var s = tile.sequence();
    return RaggedRows.coordinate(s.firstKey(), s.keys(), 0, row, column, k.constant(0));
  }
}
