package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;
import tilewright.ptx.tensormap.Interleave;

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
    int step = d.elementStrides().getFirst();
    boolean scattered = d.interleave() != Interleave.NONE && step > 1;
    do {
      var at = new long[d.rank()];
      for (int i = 0; i < at.length; i++) at[i] = coordinates[i] + (long) steps[i] * d.elementStrides().get(i);
      at[0] = coordinates[0];
      if (scattered) {
        for (int k = 0; k < inner; k++, at[0] += step) rows.add(row(d, at, 1, rows));
      } else {
        rows.add(row(d, at, inner, rows));
      }
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

  /** With a swizzle, every row begins a span of its own, however short it is (as an H200 has it). */
  private static int pitch(TensorDescriptor d, int bytes) {
    return Math.max(bytes, d.interleave() == Interleave.NONE ? d.swizzle().span() : 0);
  }

  /**
   * The row of {@code count} elements that begins at a place in the tensor, behind the rows before it. With an
   * interleave, what the innermost dimension counts are slices, whatever the element type (as an H200 has it).
   */
  static BoxRow row(TensorDescriptor d, long[] at, int count, List<BoxRow> before) {
    int slice = 8 * d.interleave().bytes();
    int bits = slice == 0 ? d.element().bits() : slice;
    int sharedBits = slice == 0 ? d.element().sharedBits() : slice;
    int bytes = count * sharedBits / 8;
    int shared = before.isEmpty() ? 0 : before.getLast().shared() + pitch(d, bytes);
    long global = 0;
    for (int i = 1; i < at.length; i++) {
      if (at[i] < 0 || at[i] >= d.dims().get(i)) return BoxRow.outside(shared, bytes);
      global += at[i] * d.strides().get(i - 1);
    }
    long first = Math.max(0, -at[0]);
    long end = Math.min(count, d.dims().getFirst() - at[0]);
    if (first >= end) return BoxRow.outside(shared, bytes);
    return new BoxRow(shared, bytes, (int) first * sharedBits / 8, (int) (end - first) * sharedBits / 8,
        global + (at[0] + first) * bits / 8);
  }
}
