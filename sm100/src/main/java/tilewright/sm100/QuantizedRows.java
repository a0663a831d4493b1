package tilewright.sm100;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The rows of matrices "X" (M,K,L) that a quantizer reads, sixteen neighbours per thread, zeros beside it.
 *
 * @param vectors whether 16 bytes are read at once: rows begin at multiples of them and K is whole ones
 */
record QuantizedRows(GlobalTensor x, boolean vectors) {
  /** Neighbours along k that a thread has. */
  static final int UNIT = 16;
  private static final int ACCESS_BYTES = 16;

  static QuantizedRows of(Scope k, ElementType type, boolean vectors) {
    var spec = TensorSpec.of("X", type, "M", "K", "L").contiguous("K");
    int each = each(type, vectors);
    return new QuantizedRows(k.global(vectors ? spec.aligned(each).multipleOf("K", each) : spec), vectors);
  }

  /** The tile at a position counted in tiles, and of an entry of the batch. */
  QuantizedRows tile(List<Integer> shape, I32... position) {
    return new QuantizedRows(x.tile(shape, position), vectors);
  }

  /** The items of a tile of columns and rows that a thread has: so many neighbours, in every so many-th row. */
  static Partition partition(int threads, int columns, int rows, int neighbours) {
    int across = columns / neighbours;
    int down = threads / across;
    var place = Layout.of(Layout.of(across, neighbours), Layout.of(down, columns));
    return Partition.exact(Layout.of(place, Layout.of(Layout.of(neighbours, 1),
        Layout.of(rows / down, (long) columns * down))), columns, rows);
  }

  private static int each(ElementType type, boolean vectors) {
    return vectors ? ACCESS_BYTES / type.bytes() : 1;
  }

  /** The numbers from there on. */
  List<F32> read(Scope k, I32 row, I32 at) {
    int each = each(x.spec().type(), vectors);
    var values = new ArrayList<F32>();
    var first = k.constant(0);
    for (int i = 0; i < UNIT; i += each) {
      var place = x.at(row, at.plus(i), first);
      values.addAll(place.vectorOrZeros(each, place.inside()).values());
    }
    return values;
  }

  /** The largest magnitude; NaN where a number is. */
  static F32 largest(List<F32> values) {
    return values.stream().map(F32::magnitude).reduce(F32::max).orElseThrow();
  }
}
