package tilewright.kernels.attention.decoding;

import java.util.LinkedHashMap;
import java.util.Map;
import tilewright.kernel.I32;

/** The places of a block's rows in a cache of pages, each of which is looked up once, for K and for V. */
public final class RowPlaces {
  private final Lookup lookup;
  private final Map<I32, Place> known = new LinkedHashMap<>();

  /** Finds the place of a row of the block. */
  @FunctionalInterface
  public interface Lookup {
    Place of(I32 row);
  }

  public RowPlaces(Lookup lookup) {
    this.lookup = lookup;
  }

  /** A row of a page: behind the page's last one where there is no such key. */
  public record Place(I32 row, I32 page) {
    /** The coordinate in a tensor (rows, columns, heads, pages). */
    public I32[] inRows(I32 column, I32 head) {
      return new I32[] {row, column, head, page};
    }

    /** The coordinate in a tensor (columns, rows, heads, pages). */
    I32[] inColumns(I32 column, I32 head) {
      return new I32[] {column, row, head, page};
    }
  }

  /** The place of a row of the block. */
  public Place of(I32 row) {
    var same = known.keySet().stream().filter(other -> row.minus(other).equalTo(0).known().orElse(false)).findFirst();
    return known.computeIfAbsent(same.orElse(row), lookup::of);
  }
}
