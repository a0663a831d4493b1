package tilewright.ops;

import java.util.List;

/** A tensor as an operator needs it: the caller's or a view of it, or a copy that ends with the operator. */
record Held(DeviceTensor tensor, Runnable end) implements AutoCloseable {
  private static Held view(DeviceTensor view) {
    return new Held(view, () -> {});
  }

  /** The copy itself, or a view of it. */
  private static Held copy(DeviceTensor copy, DeviceTensor view) {
    return new Held(view, copy::close);
  }

  /** Elements in order. */
  static Held inOrder(DeviceTensor x) {
    return x.isContiguous() ? view(x) : copied(x);
  }

  /** Elements in order, from where memory is aligned. */
  static Held begun(DeviceTensor x) {
    return x.isContiguous() && x.offset() % Storage.ALIGNMENT == 0 ? view(x) : copied(x);
  }

  private static Held copied(DeviceTensor x) {
    var copy = x.ops().contiguous(x);
    return copy(copy, copy);
  }

  /** No two elements in one place. */
  static Held distinct(DeviceTensor x) {
    for (int mode = 0; mode < x.rank(); mode++) {
      if (x.form().stride(mode) == 0 && x.size(mode) > 1) return copied(x);
    }
    return view(x);
  }

  /** Neighbours along the last mode side by side. */
  static Held neighbours(DeviceTensor x) {
    return x.form().stride(x.rank() - 1) == 1 ? distinct(x) : copied(x);
  }

  /** All but the last mode as one, if strides can say so. */
  static Held matrix(DeviceTensor x) {
    var extents = List.of(x.size(-1) == 0 ? rowsOf(x) : x.elements() / x.size(-1), x.size(-1));
    if (x.form().reshaped(extents).isPresent()) return view(x.reshape(extents.get(0), extents.get(1)));
    var copy = x.ops().contiguous(x);
    return copy(copy, copy.reshape(extents.get(0), extents.get(1)));
  }

  private static long rowsOf(DeviceTensor x) {
    return x.form().extents().stream().limit(x.rank() - 1).reduce(1L, Math::multiplyExact);
  }

  /** A matrix whose rows are all modes but the last, elements of a row side by side. */
  static Held rows(DeviceTensor x) {
    if (x.form().stride(x.rank() - 1) == 1 || x.size(-1) == 1) return matrix(x);
    var copy = x.ops().contiguous(x);
    return copy(copy, copy.reshape(rowsOf(x), x.size(-1)));
  }

  /** Neighbours along the last mode side by side, in accesses of 16 bytes where their number allows that. */
  static Held aligned(DeviceTensor x) {
    int bytes = x.type().bytes();
    int elements = (int) Math.min(16 / bytes, Long.lowestOneBit(x.size(-1)));
    boolean fits = x.form().stride(x.rank() - 1) == 1 && x.offset() % ((long) elements * bytes) == 0
        && x.form().strides().stream().limit(x.rank() - 1).allMatch(stride -> stride % elements == 0);
    return fits ? view(x) : copied(x);
  }

  @Override
  public void close() {
    end.run();
  }
}
