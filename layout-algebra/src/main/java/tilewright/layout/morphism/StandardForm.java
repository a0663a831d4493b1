package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;

/** Finds the morphism of a layout with the smallest codomain that realises it, if it is tractable. */
final class StandardForm {
  private StandardForm() {}

  static Decision<TupleMorphism> of(Layout layout) {
    var operation = "standard form of " + layout;
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] < 1) return Reasons.undefined(operation, "extents are at least 1", i, "got " + extents[i]);
      if (strides[i] < 0) return Reasons.undefined(operation, "strides are at least 0", i, "got " + strides[i]);
    }
    var order = IntStream.range(0, extents.length).filter(i -> strides[i] != 0).boxed()
        .sorted(Comparator.<Integer>comparingLong(i -> strides[i]).thenComparingLong(i -> extents[i])).toList();
    var codomain = new ArrayList<Long>();
    var map = new ArrayList<>(Collections.nCopies(extents.length, 0));
    long extent = 1;
    long stride = 1;
    int before = -1;
    for (int i : order) {
      // Dividing twice, because extent · stride may exceed 64 bits where no mode follows.
      if (strides[i] % stride != 0 || strides[i] / stride % extent != 0) {
        return Reasons.undefined(operation,
            "sorted by stride, extent · stride of each mode divides the next stride", i,
            extent + "·" + stride + " of mode " + before + " does not divide " + strides[i]);
      }
      long gap = strides[i] / stride / extent;
      if (gap > 1) codomain.add(gap);
      codomain.add(extents[i]);
      map.set(i, codomain.size());
      extent = extents[i];
      stride = strides[i];
      before = i;
    }
    var result = new TupleMorphism(layout.shape(), Trees.flat(codomain), map);
    return new Decision.Defined<>(result, new RealisationCertificate(layout, result));
  }
}
