package tilewright.kernels;

import tilewright.kernel.Matrix;
import tilewright.numerics.ElementType;

/**
 * C = alpha·A·Bᵀ + beta·C, {@code batch} times. A is M×K, B is N×K, C is M×N, each with any strides. Any extent
 * may be 0: C is empty then, or where it is K, the product is zeros.
 */
public record GemmProblem(GemmTypes types, int m, int n, int k, int batch, Matrix a, Matrix b, Matrix c, float alpha,
    float beta) {
  public GemmProblem {
    if (m < 0 || n < 0 || k < 0 || batch < 0) {
      throw new IllegalArgumentException("invalid GEMM extents M=" + m + " N=" + n + " K=" + k + " batch=" + batch
          + ": they are at least 0");
    }
  }

  /** The packed problem with both operands of one type. */
  public static GemmProblem packed(ElementType operand, ElementType output, int m, int n, int k, int batch,
      String order) {
    return packed(GemmTypes.of(operand, output), m, n, k, batch, order);
  }

  /** Buffers "A", "B", "C" packed in the given operand order, C row-major; T is row-major A, N row-major B (N×K). */
  public static GemmProblem packed(GemmTypes types, int m, int n, int k, int batch, String order) {
    if (order.length() != 2) throw invalidOrder(order);
    var a = switch (order.charAt(0)) {
      case 'T' -> Matrix.rowMajor("A", m, k);
      case 'N' -> Matrix.columnMajor("A", m, k);
      default -> throw invalidOrder(order);
    };
    var b = switch (order.charAt(1)) {
      case 'N' -> Matrix.rowMajor("B", n, k);
      case 'T' -> Matrix.columnMajor("B", n, k);
      default -> throw invalidOrder(order);
    };
    return new GemmProblem(types, m, n, k, batch, a, b, Matrix.rowMajor("C", m, n), 1, 0);
  }

  /** The operands' type, where they share one. */
  public ElementType operand() {
    return types.operand();
  }

  public ElementType output() {
    return types.output();
  }

  /** Returns this problem with other factors. */
  public GemmProblem scaled(float alpha, float beta) {
    return new GemmProblem(types, m, n, k, batch, a, b, c, alpha, beta);
  }

  /** The transposed problem, Cᵀ = alpha·B·Aᵀ + beta·Cᵀ. */
  public GemmProblem transposed() {
    return new GemmProblem(types.transposed(), n, m, k, batch, b, a, c.transposed(), alpha, beta);
  }

  private static IllegalArgumentException invalidOrder(String order) {
    return new IllegalArgumentException("invalid operand order '" + order + "': TN, TT, NN or NT");
  }
}
