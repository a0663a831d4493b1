package tilewright.kernel.collective.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * Makes scores −∞ that the band or the end of the keys hides. In a transposed tile, rows behind the last key are hidden
 * too, although K and V are zero there: their P would be e^−LSE, which overflows a 16-bit type for LSE &lt; −11, and dQ
 * would add ∞ · 0. Queries behind the last one need no mask if their statistics make P zero.
 */
public record ScoreMask(Band band, SeqlenInfo sequence, FragmentRows rows) {

  /** The columns that a row sees, counted from the thread's first: before {@code stop}, behind {@code start}. */
  private record Columns(Optional<I32> stop, Optional<I32> start) {
    static Columns of(Optional<I32> stop, Optional<I32> start) {
      return new Columns(stop.map(I32::settled), start.map(I32::settled));
    }

    Pred contain(I32 column) {
      var before = stop.map(column::lessThan);
      var behind = start.map(s -> s.lessThan(column));
      return before.isEmpty() ? behind.orElseThrow() : behind.map(before.get()::and).orElse(before.get());
    }
  }

  /** Masks a tile of scores. */
  public List<F32> apply(Scope k, I32 thread, Modification.Place place, List<F32> scores) {
    return where(seen(k, thread, place), scores, k.constant(Float.NEGATIVE_INFINITY));
  }

  /** Masks a tile of probabilities: makes those of hidden scores 0. */
  public List<F32> probabilities(Scope k, I32 thread, Modification.Place place, List<F32> probabilities) {
    return where(seen(k, thread, place), probabilities, k.constant(0f));
  }

  private static List<F32> where(Pred[] seen, List<F32> values, F32 otherwise) {
    return IntStream.range(0, values.size()).mapToObj(v -> values.get(v).where(seen[v], otherwise)).toList();
  }

  /** Whether each of the thread's values is seen. */
  private Pred[] seen(Scope k, I32 thread, Modification.Place place) {
    var seen = new Pred[rows.partition().values()];
    // Both ends count from the thread's first column, so that its columns are constants beside them.
    var origin = place.firstOfColumns().plus(rows.column(thread));
    for (int row = 0; row < rows.count(); row++) {
      var at = place.firstOfRows().plus(rows.row(thread, row));
      var columns = place.transposed() ? queries(k, place.packing(), at, origin) : keys(place.packing(), at, origin);
      for (int value : rows.of(row)) seen[value] = columns.contain(k.constant(rows.columnOffset(value)));
    }
    return seen;
  }

  /** The keys that a row of queries sees. */
  private Columns keys(HeadPacking packing, I32 row, I32 origin) {
    var position = packing.query(row).plus(sequence.shift());
    var end = sequence.keys();
    if (band.right().isPresent()) end = end.min(band.plusRight(position, 1));
    var start = band.left().stream().mapToObj(_ -> band.minusLeft(position, 1)).findFirst();
    if (sequence.before().isPresent()) start = Optional.of(start.orElse(origin.constant(-1)).max(-1));
    return Columns.of(Optional.of(end.minus(origin)), start.map(s -> s.minus(origin)));
  }

  /** The rows of queries that see a key: none where there is no such key. */
  private Columns queries(Scope k, HeadPacking packing, I32 key, I32 origin) {
    var exists = key.lessThan(sequence.keys());
    var same = key.minus(sequence.shift());
    int width = Math.toIntExact(rows.partition().tile().getLast());
    var start = band.right().stream().mapToObj(_ -> packing.rows(band.minusRight(same)).plus(-1).minus(origin)
        .where(exists, width)).findFirst();
    var stop = band.left().stream().mapToObj(_ -> packing.rows(band.plusLeft(same, 1)).minus(origin)).findFirst();
    if (start.isPresent()) return Columns.of(stop, start);
    return Columns.of(Optional.of(stop.orElse(k.constant(width)).where(exists, 0)), start);
  }
}
