package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;

/** Which bytes of a tensor one copy takes, and in which order they lie in shared memory before the swizzle. */
public final class BoxTraversal {
  private BoxTraversal() {}

  /**
   * The rows of one copy.
   *
   * @param coordinates one a dimension, or for four rows the column and the rows
   * @param offsets of im2col: W, H, D; of im2col::w: the halo and the offset along W
   */
  public static List<BoxRow> rows(TensorDescriptor d, LoadMode mode, int[] coordinates, int[] offsets) {
    return switch (mode) {
      case TILE -> tile(d, coordinates);
      case GATHER4, SCATTER4 -> fourRows(d, coordinates);
      case IM2COL, IM2COL_NO_OFFSETS -> Im2colTraversal.pixels(d, coordinates, offsets);
      case IM2COL_W -> WidthTraversal.pixels(d, coordinates, offsets[0], offsets[1], d.pixels());
      case IM2COL_W128 -> WidthTraversal.groups(d, coordinates, offsets[0], offsets[1]);
    };
  }

  private static List<BoxRow> tile(TensorDescriptor d, int[] coordinates) {
    var rows = new ArrayList<BoxRow>();
    var steps = new int[d.rank()];
    int inner = d.traversed(0);
    do {
      var at = new long[d.rank()];
      for (int i = 0; i < at.length; i++) at[i] = coordinates[i] + (long) steps[i] * d.elementStrides().get(i);
      at[0] = coordinates[0];
      rows.add(row(d, at, inner, rows));
    } while (advance(steps, d));
    return rows;
  }

  /** Counts on through all dimensions but the innermost; false when all are done. */
  private static boolean advance(int[] steps, TensorDescriptor d) {
    for (int i = 1; i < steps.length; i++) {
      if (++steps[i] < d.traversed(i)) return true;
      steps[i] = 0;
    }
    return false;
  }

  private static List<BoxRow> fourRows(TensorDescriptor d, int[] coordinates) {
    var rows = new ArrayList<BoxRow>();
    for (int i = 1; i <= 4; i++) {
      rows.add(row(d, new long[] {coordinates[0], coordinates[i]}, d.traversed(0), rows));
    }
    return rows;
  }

  /** The row of {@code count} elements that begins at a place in the tensor, behind the rows before it. */
  static BoxRow row(TensorDescriptor d, long[] at, int count, List<BoxRow> before) {
    var element = d.element();
    int bytes = (int) element.sharedBytes(count);
    int shared = before.isEmpty() ? 0 : before.getLast().shared() + before.getLast().bytes();
    long global = 0;
    for (int i = 1; i < at.length; i++) {
      if (at[i] < 0 || at[i] >= d.dims().get(i)) return BoxRow.outside(shared, bytes);
      global += at[i] * d.strides().get(i - 1);
    }
    long first = Math.max(0, -at[0]);
    long end = Math.min(count, d.dims().getFirst() - at[0]);
    if (first >= end) return BoxRow.outside(shared, bytes);
    return new BoxRow(shared, bytes, (int) element.sharedBytes(first), (int) element.sharedBytes(end - first),
        global + (at[0] + first) * element.bits() / 8);
  }
}
