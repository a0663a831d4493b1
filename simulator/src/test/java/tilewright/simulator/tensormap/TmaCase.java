package tilewright.simulator.tensormap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.ptx.tensormap.WideMode;

/**
 * One copy by a tensor map, as one CTA of {@code tma/load.ptx} and {@code tma/store.ptx} makes it.
 *
 * @param tensor where it begins in its buffer
 * @param coordinates one a dimension
 * @param offsets of im2col mode, one a spatial dimension
 * @param shared where the box begins in the 8192 bytes of shared memory
 * @param bytes that the mbarrier is told to expect
 * @param operation of a store: 0, or 1 to 8 for add, min, max, inc, dec, and, or, xor
 */
public record TmaCase(TensorMap map, long tensor, List<Integer> coordinates, List<Integer> offsets, int shared,
    int bytes, int operation) {
  private static final int RECORD_BYTES = 64;
  private static final int KINDS = 8;

  /**
   * A line of a table: element type, dimensions, strides, element strides, interleave, swizzle, fill, mode, box or
   * corners, place of the tensor, coordinates, offsets, place in shared memory, bytes, and for stores the operation.
   */
  public static TmaCase parse(String line) {
    var f = line.split(";", -1);
    var view = new TensorView(TensorElement.parse(f[0]).orElseThrow(), longs(f[1]), longs(f[2]), ints(f[3]),
        Interleave.parse(f[4]).orElseThrow(), SwizzleMode.parse(f[5]).orElseThrow(), L2Promotion.NONE,
        OutOfBoundsFill.parse(f[6]).orElseThrow());
    return new TmaCase(map(view, f[7], f[8]), Long.parseLong(f[9]), ints(f[10]), ints(f[11]), Integer.parseInt(f[12]),
        Integer.parseInt(f[13]), f.length > 14 ? Integer.parseInt(f[14]) : 0);
  }

  static TensorMap map(TensorView view, String mode, String shape) {
    if (mode.equals("tiled")) return new TensorMap.Tiled(view, ints(shape));
    var parts = shape.split("/");
    if (mode.equals("im2colWide")) {
      return new TensorMap.Im2colWide(view, ints(parts[0]).getFirst(), ints(parts[1]).getFirst(),
          Integer.parseInt(parts[2]), Integer.parseInt(parts[3]), WideMode.W);
    }
    return new TensorMap.Im2col(view, ints(parts[0]), ints(parts[1]), Integer.parseInt(parts[2]),
        Integer.parseInt(parts[3]));
  }

  static List<Integer> ints(String text) {
    return longs(text).stream().map(Long::intValue).toList();
  }

  static List<Long> longs(String text) {
    return text.isEmpty() ? List.of() : Arrays.stream(text.split(",")).map(Long::valueOf).toList();
  }

  public TensorView view() {
    return map.view();
  }

  public LoadMode mode() {
    return map instanceof TensorMap.Tiled ? LoadMode.TILE : LoadMode.IM2COL;
  }

  /** What the kernel reads. */
  byte[] record() {
    int im2col = map instanceof TensorMap.Tiled ? 0 : KINDS;
    var b = ByteBuffer.allocate(RECORD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putInt(view().rank() + im2col + KINDS * operation);
    for (int i = 0; i < 5; i++) b.putInt(i < coordinates.size() ? coordinates.get(i) : 0);
    for (int i = 0; i < 3; i++) b.putInt(i < offsets.size() ? offsets.get(i) : 0);
    return b.putInt(shared).putInt(bytes).array();
  }
}
