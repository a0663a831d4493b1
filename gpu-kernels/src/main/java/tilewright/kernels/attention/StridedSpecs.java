package tilewright.kernels.attention;

import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * The assumptions of kernels that copy by threads about attention's tensors: any strides, or head dimensions that are
 * contiguous and aligned.
 *
 * @param type of Q, K and V
 * @param output type of O
 * @param vector elements of Q, K and V that one access moves; 1 for any strides
 * @param exactDims whether the head dimensions are {@code dim} and {@code valueDim}; else they may be smaller
 */
record StridedSpecs(ElementType type, ElementType output, int vector, boolean exactDims, int dim, int valueDim) {

  TensorSpec q() {
    return operand("Q", type, "D", "H", dim, "Sq", "D");
  }

  TensorSpec k() {
    return operand("K", type, "D", "Hk", dim, "Sk", "D");
  }

  /** V, with keys as its second mode, as operand B of P·V has them. */
  TensorSpec v() {
    return operand("V", type, "Dv", "Hk", valueDim, "Dv", "Sk");
  }

  TensorSpec o() {
    return operand("O", output, "Dv", "H", valueDim, "Sq", "Dv");
  }

  private TensorSpec operand(String name, ElementType of, String columns, String heads, int dim, String... order) {
    var spec = TensorSpec.of(name, of, order[0], order[1], heads, "B");
    int aligned = Math.max(1, vector * type.bytes() / of.bytes());
    if (vector > 1) spec = spec.contiguous(columns).aligned(aligned);
    return exactDims ? spec.fixed(columns, dim) : spec.multipleOf(columns, aligned);
  }
}
