package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/** Makes scores −∞ that the band or the sequence's end hides. */
public record ScoreMask(Band band, SeqlenInfo sequence, FragmentRows rows, HeadPacking packing) {

  /** Creates a mask for tiles with one row for each query. */
  public ScoreMask(Band band, SeqlenInfo sequence, FragmentRows rows) {
    this(band, sequence, rows, HeadPacking.NONE);
  }

  /**
   * Masks a tile of scores.
   *
   * @param firstRow the tile's first row, counted from the sequence's begin; likewise {@code firstKey}
   */
  public List<F32> apply(Scope k, I32 thread, I32 firstRow, I32 firstKey, List<F32> scores) {
    var hidden = k.constant(Float.NEGATIVE_INFINITY);
    var masked = new ArrayList<>(scores);
    // Both ends count from the thread's first column, so that its columns are constants beside them.
    var origin = firstKey.plus(rows.column(thread));
    for (int row = 0; row < rows.count(); row++) {
      var position = packing.query(firstRow.plus(rows.row(thread, row))).plus(sequence.shift());
      var end = sequence.keys();
      if (band.right().isPresent()) end = end.min(position.plus(band.right().getAsInt() + 1));
      var stop = end.minus(origin).settled();
      for (int value : rows.of(row)) {
        var column = k.constant(rows.columnOffset(value));
        var seen = column.lessThan(stop);
        if (band.left().isPresent()) {
          var start = position.plus(-band.left().getAsInt() - 1).minus(origin).settled();
          seen = seen.and(start.lessThan(column));
        }
        masked.set(value, scores.get(value).where(seen, hidden));
      }
    }
    return masked;
  }
}
