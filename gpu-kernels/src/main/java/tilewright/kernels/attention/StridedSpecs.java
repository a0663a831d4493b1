package tilewright.kernels.attention;

import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.numerics.ElementType;

/**
 * The assumptions of kernels that copy by threads about attention's tensors: any strides, or head dimensions that are
 * contiguous and aligned.
 *
 * @param type of Q, K and V
 * @param output type of O
 * @param accesses neighbours that one access moves
 * @param exactDims whether the head dimensions are {@code dim} and {@code valueDim}; else they may be smaller
 */
record StridedSpecs(ElementType type, ElementType output, Accesses accesses, boolean exactDims, int dim, int valueDim) {

  TensorSpec q() {
    return operand(accesses.vector(), "D", TensorSpec.of("Q", type, "Sq", "D", "H", "B"), "D", dim);
  }

  TensorSpec k() {
    return operand(accesses.vector(), "D", TensorSpec.of("K", type, "Sk", "D", "Hk", "B"), "D", dim);
  }

  /** V, with keys as its second mode, as operand B of P·V has them. */
  TensorSpec v() {
    return operand(accesses.ofValues(), accesses.order().contiguous(), TensorSpec.of("V", type, "Dv", "Sk", "Hk", "B"),
        "Dv", valueDim);
  }

  TensorSpec o() {
    int vector = Math.max(1, accesses.vector() * type.bytes() / output.bytes());
    return operand(vector, "Dv", TensorSpec.of("O", output, "Sq", "Dv", "H", "B"), "Dv", valueDim);
  }

  /** A tensor with vectors along a mode; {@code columns} are the head dimension. */
  private TensorSpec operand(int vector, String contiguous, TensorSpec any, String columns, int dim) {
    var spec = vector > 1 ? any.contiguous(contiguous).aligned(vector) : any;
    if (exactDims) return spec.fixed(columns, dim);
    // The last vector of keys may be cut short, that of a head dimension is whole.
    return contiguous.equals(columns) ? spec.multipleOf(columns, vector) : spec;
  }
}
