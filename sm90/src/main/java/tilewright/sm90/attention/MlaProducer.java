package tilewright.sm90.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.RaggedRows;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;

/**
 * The thread that has a tile's queries and its blocks of keys copied.
 *
 * @param blocks the rings of the first of two blocks and of the second ones
 */
record MlaProducer(Scope k, MlaConfig config, Optional<PagedKeys> pages, MlaQueries queries, LatentTile key,
    List<MlaMainloop.Block> blocks) {

  void copy(Tile tile) {
    var visits = config.visits(tile);
    queries.copy(tile);
    k.loop(visits.count().plus(1).dividedBy(2), pair -> {
      var place = pair.times(2);
      copyKeys(tile, visits.block().apply(place).settled(), 0);
      k.when(place.plus(1).lessThan(visits.count()),
          () -> copyKeys(tile, visits.block().apply(place.plus(1)).settled(), 1));
    });
  }

  /**
   * Rows of a block that lie one after the other.
   *
   * @param row of the block with which they begin, and {@code count} how many
   * @param tile whose sequence has them from {@code first} on
   */
  private record Rows(int row, int count, Tile tile, I32 first) {}

  private void copyKeys(Tile tile, I32 block, int stage) {
    // Pages are looked up while the stage is still in use.
    var rows = rows(tile, tile.sequence().firstKeyOf(block, MlaConfig.KEYS));
    int parts = key.parts().size();
    var ring = blocks.get(stage);
    load(rows, 0, 1, stage, ring.keys().acquire(key.bytes(0, 1)));
    load(rows, 1, parts, stage, ring.others().expect(key.bytes(1, parts)));
    ring.keys().advance();
  }

  private List<Rows> rows(Tile tile, I32 first) {
    if (pages.isEmpty()) return List.of(new Rows(0, MlaConfig.KEYS, tile, first));
    var all = new ArrayList<Rows>();
    pages.get().forEachPart(MlaConfig.KEYS, tile, first,
        (row, part) -> all.add(new Rows(row, pages.get().part(), part, k.constant(0))));
    return all;
  }

  /** Fills parts of the columns of a stage. */
  private void load(List<Rows> block, int first, int end, int stage, Mbarrier landed) {
    for (var rows : block) {
      key.forEachPart(k, first, end, column -> coordinate(rows, column),
          (part, at) -> part.loadPart(k, 0, rows.row, rows.count, k.constant(stage), landed, at));
    }
  }

  /** The coordinate of rows, which all heads read. */
  private I32[] coordinate(Rows rows, I32 column) {
    var s = rows.tile.sequence();
    return RaggedRows.coordinate(s.firstKey(), s.keys(), 0, rows.first, column, k.constant(0));
  }
}
