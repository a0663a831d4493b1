package tilewright.sm90.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * Keys in pages: a block is copied in parts that a page holds whole, whose boxes stop at the sequence's last key. A
 * number that is no page of the cache stops the launch: a tensor copy would give zeros for it.
 *
 * @param table (pages of an entry, batch) of 32-bit integers
 * @param count of pages in the cache
 * @param rows of a page: a constant, or a number of the launch
 * @param part keys of a part
 * @param together page numbers that are on their way at a time
 */
record PagedKeys(Scope k, GlobalTensor table, I32 count, I32 rows, int part, int together) {
  /** The argument with the number of pages in the cache. */
  static final String COUNT = "pages";
  /** The argument with the rows of a page, where they are no constant. */
  static final String ROWS = "pageRows";

  static PagedKeys of(Scope k, OptionalInt rows, int part, int together) {
    var zero = k.constant(0);
    return new PagedKeys(k, k.global(AttentionSpecs.pageTable()), zero.parameter(COUNT),
        rows.isPresent() ? k.constant(rows.getAsInt()) : zero.parameter(ROWS), part, together);
  }

  /**
   * Where a key lies.
   *
   * @param place of its page in the entry's table
   * @param row of the page
   */
  private record Place(I32 place, I32 row) {}

  /**
   * Fills a stage with a block of a sequence's keys or values.
   *
   * @param mode of {@code to} that counts keys
   * @param keys of the block, from {@code firstKey} on
   * @param coordinate where a part begins, given the rows of the cache that hold it
   */
  void load(TensorTile to, int mode, int keys, I32 stage, Mbarrier landed, Tile tile, I32 firstKey,
      Function<Tile, I32[]> coordinate) {
    forEachPart(keys, tile, firstKey,
        (row, rowsOf) -> to.loadPart(k, mode, row, part, stage, landed, coordinate.apply(rowsOf)));
  }

  /** The copy of a part of a block. */
  @FunctionalInterface
  interface Copy {
    /**
     * Copies the part.
     *
     * @param row of the block with which it begins
     * @param rowsOf the tile, with the rows of the cache that hold the part for its sequence
     */
    void accept(int row, Tile rowsOf);
  }

  /** Copies a block of a sequence's keys, from {@code firstKey} on, part by part. */
  void forEachPart(int keys, Tile tile, I32 firstKey, Copy copy) {
    var places = places(firstKey, keys / part);
    for (int begin = 0; begin < places.size(); begin += together) {
      int end = Math.min(places.size(), begin + together);
      var numbers = IntStream.range(begin, end)
          .mapToObj(i -> number(tile, firstKey.plus(i * part), places.get(i).place)).toList();
      for (int i = begin; i < end; i++) {
        var first = firstKey.plus(i * part);
        copy.accept(i * part, tile.in(rowsOf(tile, first, places.get(i).row, numbers.get(i - begin))));
      }
    }
  }

  /** The places of the first key and those that are parts behind it. */
  private List<Place> places(I32 firstKey, int parts) {
    if (rows.isConstant()) {
      return IntStream.range(0, parts).mapToObj(i -> firstKey.plus(i * part))
          .map(key -> new Place(key.dividedBy(rows), key.modulo(rows))).toList();
    }
    // A division takes tens of instructions: parts behind the first only count.
    var places = new ArrayList<>(List.of(new Place(firstKey.dividedBy(rows), firstKey.modulo(rows))));
    for (int i = 1; i < parts; i++) {
      var before = places.getLast();
      var row = before.row.plus(part);
      var within = row.lessThan(rows);
      places.add(new Place(before.place.where(within, before.place.plus(1)), row.where(within, 0)));
    }
    return places;
  }

  /** The number of the page that holds a key, from its place in the table: 0 behind the last key. */
  private I32 number(Tile tile, I32 key, I32 place) {
    var exists = key.lessThan(tile.sequence().keys());
    return table.at(place, tile.batch()).vectorOrZeros(1, exists).integers().getFirst();
  }

  /** The rows of the cache that hold a part: none of them where it begins behind the last key. */
  private SeqlenInfo rowsOf(Tile tile, I32 key, I32 row, I32 number) {
    var sequence = tile.sequence();
    var page = number.max(0).min(count.plus(-1));
    if (rows.isConstant()) page = page.min(k.constant(GlobalTensor.MAX_EXTENT).dividedBy(rows));
    k.trap(number.equalTo(page).not());
    return new SeqlenInfo(sequence.firstQuery(), sequence.queries(), page.times(rows).plus(row),
        sequence.keys().minus(key).min(part).max(0));
  }
}
