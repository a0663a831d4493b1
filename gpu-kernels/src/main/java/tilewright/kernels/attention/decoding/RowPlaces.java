package tilewright.kernels.attention.decoding;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import tilewright.kernel.I32;

/**
 * The places of a block's rows in a cache of pages. The number that says where a row is, a page's or a token's, is read
 * once, for K and for V.
 */
public final class RowPlaces {
  private final UnaryOperator<I32> numbers;
  private final Lookup lookup;
  private final Map<I32, I32> ahead = new LinkedHashMap<>();
  private final Map<I32, Place> known = new LinkedHashMap<>();

  /** Finds the place of a row of the block by the row's number. */
  @FunctionalInterface
  public interface Lookup {
    Place of(I32 row, I32 number);
  }

  /**
   * @param rows whose numbers are all on their way before one of them is used
   * @param numbers from rows of the block
   */
  RowPlaces(List<I32> rows, UnaryOperator<I32> numbers, Lookup lookup) {
    this.numbers = numbers;
    this.lookup = lookup;
    rows.forEach(row -> ahead.put(row, numbers.apply(row)));
    rows.forEach(this::of);
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
    return known.computeIfAbsent(same(known.keySet(), row).orElse(row), _ -> lookup.of(row,
        same(ahead.keySet(), row).map(ahead::get).orElseGet(() -> numbers.apply(row))));
  }

  private static Optional<I32> same(Set<I32> rows, I32 row) {
    return rows.stream().filter(other -> row.minus(other).equalTo(0).known().orElse(false)).findFirst();
  }
}
