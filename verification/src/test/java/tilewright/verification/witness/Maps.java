package tilewright.verification.witness;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** Tensor maps of buffers in row-major order, as arguments. */
final class Maps {
  private Maps() {}

  /** Of rows without gaps. */
  static Argument matrix(String buffer, TensorElement element, int columns, int rows, int... box) {
    return of(buffer, view(element, columns, columns, rows), box);
  }

  /** As above, tiles swizzled in shared memory. */
  static Argument swizzled(String buffer, TensorElement element, int columns, int rows, int... box) {
    return of(buffer, view(element, columns, columns, rows).withSwizzle(SwizzleMode.B128), box);
  }

  /** A matrix in larger memory, whose rows are so many elements apart. */
  static TensorView view(TensorElement element, int pitch, int columns, int rows) {
    return TensorView.of(element, List.of((long) columns, (long) rows), List.of((long) pitch * element.bits() / 8));
  }

  static Argument of(String buffer, TensorView view, int... box) {
    return new Argument.TensorMapOf(new Argument.Buffer(buffer),
        new TensorMap.Tiled(view, IntStream.of(box).boxed().toList()));
  }
}
