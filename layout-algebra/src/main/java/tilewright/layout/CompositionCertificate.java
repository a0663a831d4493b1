package tilewright.layout;

/**
 * A refinement of the right operand on which the left one is linear: no coordinate's digits in the left operand carry,
 * and each stride of the result is the left operand's offset of the refined stride (Cecka 2026, section 3.3).
 */
record CompositionCertificate(Layout outer, Layout inner, Layout result) implements Certificate {

  @Override
  public boolean holds() {
    if (!inner.shape().isCompatibleWith(result.shape())) return false;
    if (result.size() == 0) return true;
    var refined = refined(inner.shape(), inner.stride(), result.shape());
    var numerals = Numerals.of(outer);
    long[] extents = refined.flatShape();
    long[] strides = refined.flatStride();
    long[] offsets = result.flatStride();
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] > 1 && offsets[i] != outer.apply(strides[i])) return false;
    }
    return numerals.digits() == 1 || carriesNothing(numerals, extents, strides);
  }

  /** Adds up, digit by digit, the largest that each mode contributes. */
  private static boolean carriesNothing(Numerals numerals, long[] extents, long[] strides) {
    for (int digit = 0; digit + 1 < numerals.digits(); digit++) {
      long sum = 0;
      for (int i = 0; i < extents.length; i++) {
        if (extents[i] == 1) continue;
        if (strides[i] < 0) return false;
        sum = Math.addExact(sum, Math.multiplyExact(extents[i] - 1, numerals.digit(strides[i], digit)));
      }
      if (sum >= numerals.extent(digit)) return false;
    }
    return true;
  }

  /** The right operand with each integer of its shape cut as the result's shape is. */
  private static Layout refined(IntTuple shape, IntTuple stride, IntTuple finer) {
    if (shape instanceof IntTuple.Leaf && stride instanceof IntTuple.Leaf(long step)) {
      long[] extents = finer.flatten();
      var modes = new Layout[extents.length];
      for (int i = 0; i < extents.length; i++) {
        modes[i] = Layout.of(extents[i], step);
        step = Math.multiplyExact(step, extents[i]);
      }
      return Layout.of(modes);
    }
    var modes = new Layout[shape.rank()];
    for (int i = 0; i < modes.length; i++) modes[i] = refined(shape.mode(i), stride.mode(i), finer.mode(i));
    return Layout.of(modes);
  }

  @Override
  public String explain() {
    return "no digit of a coordinate of " + result.shape() + " carries in " + outer + ", which maps the strides of "
        + refined(inner.shape(), inner.stride(), result.shape()) + " to those of " + result;
  }
}
