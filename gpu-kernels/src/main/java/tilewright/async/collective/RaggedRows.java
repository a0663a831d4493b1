package tilewright.async.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;

/**
 * Sequences that lie one after the other, copied in boxes that stop where a sequence does: rows behind its end are zero
 * when loaded and left alone when stored, whichever sequence they belong to.
 *
 * <p>One tensor map serves all sequences. Row r of the n rows from f on has three coordinates, (2²⁹ − n + r, f + n,
 * 2²⁹), with strides s, s and 2³⁵ − s bytes. The first leaves the map, which has 2²⁹, where r = n; together they reach
 * (f + r)·s + 2⁶⁴, and addresses have 64 bits (Triton, ragged_tma.py).
 */
public final class RaggedRows {
  private static final int SPAN = 1 << 29;
  private static final int MOST = 1 << 30;
  private static final long TURN_BYTES = 1L << 35;

  private RaggedRows() {}

  /** @param dense a tensor whose last mode counts batch entries, of which packed sequences have one */
  public static TensorSpec spec(TensorSpec dense, String rows) {
    var modes = new ArrayList<>(dense.extents());
    modes.set(modes.indexOf(rows), "Span");
    modes.removeLast();
    modes.addAll(List.of("Ends", "Turns"));
    return TensorSpec.of(dense.name(), dense.type(), modes.toArray(String[]::new))
        .contiguous(dense.contiguous().orElseThrow()).aligned(dense.alignment())
        .fixed("Span", SPAN).fixed("Ends", MOST).fixed("Turns", MOST);
  }

  /**
   * The tensor that a launch gives for such a specification.
   *
   * @param rows the mode that counts rows
   */
  public static LaunchArguments.Tensor tensor(LaunchArguments.Tensor dense, int rows, int elementBytes) {
    var extents = new ArrayList<>(dense.extents());
    var strides = new ArrayList<>(dense.strides());
    long stride = strides.get(rows);
    extents.set(rows, (long) SPAN);
    extents.removeLast();
    strides.removeLast();
    extents.addAll(List.of((long) MOST, (long) MOST));
    strides.addAll(List.of(stride, TURN_BYTES / elementBytes - stride));
    return new LaunchArguments.Tensor(dense.buffer(), dense.offset(), extents, strides);
  }

  /**
   * Returns the coordinate at which a box begins.
   *
   * @param first the sequence's first row
   * @param count the sequence's rows
   * @param dense the coordinate in the sequence, without a batch entry; rows are counted by mode {@code rows}
   */
  public static I32[] coordinate(I32 first, I32 count, int rows, I32... dense) {
    var place = new ArrayList<>(List.of(dense));
    place.set(rows, dense[rows].minus(count).plus(SPAN));
    place.add(first.plus(count));
    place.add(first.constant(SPAN));
    return place.toArray(I32[]::new);
  }
}
