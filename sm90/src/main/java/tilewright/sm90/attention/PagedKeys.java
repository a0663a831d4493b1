package tilewright.sm90.attention;

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
 * @param rows of a page
 * @param part keys of a part
 * @param together page numbers that are on their way at a time
 */
record PagedKeys(Scope k, GlobalTensor table, I32 count, int rows, int part, int together) {
  /** The argument with the number of pages in the cache. */
  static final String COUNT = "pages";

  static PagedKeys of(Scope k, int rows, int part, int together) {
    return new PagedKeys(k, k.global(AttentionSpecs.pageTable()), k.constant(0).parameter(COUNT), rows, part, together);
  }

  /**
   * Fills a stage with a block of a sequence's keys or values.
   *
   * @param mode of {@code to} that counts keys
   * @param keys of the block, from {@code firstKey} on
   * @param coordinate where a part begins, given the rows of the cache that hold it
   */
  void load(TensorTile to, int mode, int keys, I32 stage, Mbarrier landed, Tile tile, I32 firstKey,
      Function<Tile, I32[]> coordinate) {
    for (int begin = 0; begin < keys; begin += together * part) {
      int end = Math.min(keys, begin + together * part);
      var firsts = IntStream.iterate(begin, first -> first < end, first -> first + part).boxed().toList();
      var numbers = firsts.stream().map(first -> number(tile, firstKey.plus(first))).toList();
      for (int i = 0; i < firsts.size(); i++) {
        int first = firsts.get(i);
        var place = tile.in(rowsOf(tile, firstKey.plus(first), numbers.get(i)));
        to.loadPart(k, mode, first, part, stage, landed, coordinate.apply(place));
      }
    }
  }

  /** The number of the page that holds a key: 0 behind the last one. */
  private I32 number(Tile tile, I32 key) {
    var exists = key.lessThan(tile.sequence().keys());
    return table.at(key.dividedBy(rows), tile.batch()).vectorOrZeros(1, exists).integers().getFirst();
  }

  /** The rows of the cache that hold a part: none of them where it begins behind the last key. */
  private SeqlenInfo rowsOf(Tile tile, I32 key, I32 number) {
    var sequence = tile.sequence();
    var page = number.max(0).min(count.plus(-1)).min(GlobalTensor.MAX_EXTENT / rows);
    k.trap(number.equalTo(page).not());
    return new SeqlenInfo(sequence.firstQuery(), sequence.queries(), page.times(rows).plus(key.modulo(rows)),
        sequence.keys().minus(key).min(part).max(0));
  }
}
