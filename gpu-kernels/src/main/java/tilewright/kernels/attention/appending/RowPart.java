package tilewright.kernels.attention.appending;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Partition;
import tilewright.layout.Layout;
import tilewright.reference.Rotation;

/**
 * Neighbouring columns of a head, all turned or none. A thread has two runs of eight: one behind the other, or where
 * pairs lie half of the columns apart, one in each half.
 *
 * @param begin first column
 * @param columns a multiple of 16
 */
record RowPart(int begin, int columns, Rotation rotation) {
  /** Columns of a run: 16 bytes of 16-bit elements. */
  static final int RUN = 8;
  /** Columns of a thread. */
  static final int UNIT = 2 * RUN;

  /** The part of a head of which nothing is turned. */
  static List<RowPart> of(int columns) {
    return of(columns, Rotation.NONE, 0);
  }

  /** The parts of a head whose first columns are turned. */
  static List<RowPart> of(int columns, Rotation rotation, int turned) {
    var parts = new ArrayList<RowPart>();
    if (turned > 0) parts.add(new RowPart(0, turned, rotation));
    if (turned < columns) parts.add(new RowPart(turned, columns - turned, Rotation.NONE));
    return parts;
  }

  private int lanes() {
    return columns / UNIT;
  }

  /** (thread, column) → place in a tile of tokens × heads × columns. */
  Partition partition(int tokens, int heads) {
    long column = (long) tokens * heads;
    boolean half = rotation == Rotation.HALF;
    var threads = Layout.of(Layout.of(lanes(), (half ? RUN : UNIT) * column), Layout.of(heads, tokens),
        Layout.of(tokens, 1));
    var values = Layout.of(Layout.of(RUN, column), Layout.of(2, (half ? columns / 2 : RUN) * column));
    return Partition.exact(Layout.of(threads, values), tokens, heads, columns);
  }
}
