package tilewright.ops;

/** A tensor as an operator needs it: the caller's or a view of it, or a copy that ends with the operator. */
record Held(DeviceTensor tensor, Runnable end) implements AutoCloseable {
  static Held view(DeviceTensor view) {
    return new Held(view, () -> {});
  }

  /** The copy itself, or a view of it. */
  static Held copy(DeviceTensor copy, DeviceTensor view) {
    return new Held(view, copy::close);
  }

  @Override
  public void close() {
    end.run();
  }
}
