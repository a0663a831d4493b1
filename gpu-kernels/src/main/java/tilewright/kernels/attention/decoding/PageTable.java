package tilewright.kernels.attention.decoding;

import java.util.LinkedHashMap;
import java.util.Map;
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

  /** A row of a page: behind the page's last one where there is no such key. */
  record Place(I32 row, I32 page) {
    I32[] inRows(I32 column, I32 head) {
      return new I32[] {row, column, head, page};
    }

    I32[] inColumns(I32 column, I32 head) {
      return new I32[] {column, row, head, page};
    }
  }

  /** The places of a block's keys, each of which is looked up once, for K and for V. */
  static final class Places {
    private final PageTable pages;
    private final AttentionTiles.Tile tile;
    private final I32 firstKey;
    private final Map<I32, Place> known = new LinkedHashMap<>();

    private Places(PageTable pages, AttentionTiles.Tile tile, I32 firstKey) {
      this.pages = pages;
      this.tile = tile;
      this.firstKey = firstKey;
    }

    Place of(I32 row) {
      var same = known.keySet().stream().filter(other -> row.minus(other).equalTo(0).known().orElse(false)).findFirst();
      return known.computeIfAbsent(same.orElse(row), _ -> pages.place(tile, firstKey.plus(row)));
    }
  }

  Places places(AttentionTiles.Tile tile, I32 firstKey) {
    return new Places(this, tile, firstKey);
  }

  private Place place(AttentionTiles.Tile tile, I32 key) {
    var exists = key.lessThan(tile.sequence().keys());
    var number = table.at(key.dividedBy(rows), tile.batch()).vectorOrZeros(1, exists).integers().getFirst();
    var page = number.max(0).min(count.plus(-1)).settled();
    k.trap(number.equalTo(page).not());
    return new Place(key.modulo(rows).where(exists, rows), page);
  }
}
