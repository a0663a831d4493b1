package tilewright.kernels.attention.decoding;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * The pages of a cache, found row by row, so that a page may have any number of them. A number that is no page of the
 * cache stops the launch.
 *
 * @param table (pages of an entry, batch) of 32-bit integers
 * @param count of pages in the cache
 * @param rows of a page
 */
record PageTable(Scope k, GlobalTensor table, I32 count, int rows) {
  /** The argument with the number of pages in the cache. */
  static final String COUNT = "pages";

  static PageTable of(Scope k, int rows) {
    return new PageTable(k, k.global(AttentionSpecs.pageTable()), k.constant(0).parameter(COUNT), rows);
  }

  /**
   * The places of a block's keys. If all of them lie in one page, it is looked up once.
   *
   * @param keys of the block, which begins at a multiple of them
   * @param ahead rows of the block whose pages are all on their way before one of them is used
   */
  RowPlaces places(AttentionTiles.Tile tile, I32 firstKey, int keys, List<I32> ahead) {
    if (rows % keys != 0) {
      return new RowPlaces(ahead, row -> number(tile, firstKey.plus(row)),
          (row, number) -> place(tile, firstKey.plus(row), number));
    }
    var page = page(number(tile, firstKey), exists(tile, firstKey));
    var first = firstKey.modulo(rows).settled();
    return new RowPlaces(List.of(), _ -> page, (row, number) -> new RowPlaces.Place(
        first.plus(row).where(exists(tile, firstKey.plus(row)), rows), number));
  }

  private I32 number(AttentionTiles.Tile tile, I32 key) {
    return table.at(key.dividedBy(rows), tile.batch()).vectorOrZeros(1, exists(tile, key)).integers().getFirst();
  }

  private static Pred exists(AttentionTiles.Tile tile, I32 key) {
    return key.lessThan(tile.sequence().keys());
  }

  private RowPlaces.Place place(AttentionTiles.Tile tile, I32 key, I32 number) {
    var exists = exists(tile, key);
    return new RowPlaces.Place(key.modulo(rows).where(exists, rows), page(number, exists));
  }

  private I32 page(I32 number, Pred exists) {
    var page = number.max(0).min(count.plus(-1)).settled();
    k.trap(exists.and(number.equalTo(page).not()));
    return page;
  }
}
