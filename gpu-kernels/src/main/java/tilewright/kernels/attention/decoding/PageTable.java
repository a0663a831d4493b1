package tilewright.kernels.attention.decoding;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
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

  /** The places of a block's keys. */
  RowPlaces places(AttentionTiles.Tile tile, I32 firstKey) {
    return new RowPlaces(row -> place(tile, firstKey.plus(row)));
  }

  private RowPlaces.Place place(AttentionTiles.Tile tile, I32 key) {
    var exists = key.lessThan(tile.sequence().keys());
    var number = table.at(key.dividedBy(rows), tile.batch()).vectorOrZeros(1, exists).integers().getFirst();
    var page = number.max(0).min(count.plus(-1)).settled();
    k.trap(number.equalTo(page).not());
    return new RowPlaces.Place(key.modulo(rows).where(exists, rows), page);
  }
}
