package tilewright.ptx.tensormap;

import java.util.List;

/**
 * The tensor that every kind of tensor map describes. Lists begin with the innermost dimension.
 *
 * @param dims elements of each dimension
 * @param strides bytes, of the second dimension and on
 * @param elementStrides the step of the traversal in each dimension
 */
public record TensorView(TensorElement element, List<Long> dims, List<Long> strides, List<Integer> elementStrides,
    Interleave interleave, SwizzleMode swizzle, L2Promotion l2Promotion, OutOfBoundsFill fill) {
  public TensorView {
    dims = List.copyOf(dims);
    strides = List.copyOf(strides);
    elementStrides = List.copyOf(elementStrides);
  }

  /** A tensor without interleave, swizzle and steps, filled with zeros. */
  public static TensorView of(TensorElement element, List<Long> dims, List<Long> strides) {
    return new TensorView(element, dims, strides, dims.stream().map(_ -> 1).toList(), Interleave.NONE, SwizzleMode.NONE,
        L2Promotion.NONE, OutOfBoundsFill.ZERO);
  }

  public TensorView withSwizzle(SwizzleMode swizzle) {
    return new TensorView(element, dims, strides, elementStrides, interleave, swizzle, l2Promotion, fill);
  }

  public TensorView withL2Promotion(L2Promotion l2Promotion) {
    return new TensorView(element, dims, strides, elementStrides, interleave, swizzle, l2Promotion, fill);
  }

  public TensorView withInterleave(Interleave interleave) {
    return new TensorView(element, dims, strides, elementStrides, interleave, swizzle, l2Promotion, fill);
  }

  public TensorView withElementStrides(List<Integer> elementStrides) {
    return new TensorView(element, dims, strides, elementStrides, interleave, swizzle, l2Promotion, fill);
  }

  public TensorView withFill(OutOfBoundsFill fill) {
    return new TensorView(element, dims, strides, elementStrides, interleave, swizzle, l2Promotion, fill);
  }

  public int rank() {
    return dims.size();
  }
}
