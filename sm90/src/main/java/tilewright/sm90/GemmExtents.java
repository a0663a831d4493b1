package tilewright.sm90;

import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.choice.Formula;

/**
 * The extents of a GEMM, as numbers or as names, and how many elements apart the rows of its operands lie, or their
 * columns, where these are contiguous.
 */
record GemmExtents(Formula m, Formula n, Formula k, Formula batch, Formula strideA, Formula strideB) {
  /** Extents M, N, K and L and strides A_s and B_s by name. */
  static final GemmExtents NAMED = new GemmExtents(Formula.of("M"), Formula.of("N"), Formula.of("K"), Formula.of("L"),
      Formula.of("A_s"), Formula.of("B_s"));

  static GemmExtents of(GemmProblem p) {
    return new GemmExtents(Formula.of(p.m()), Formula.of(p.n()), Formula.of(p.k()), Formula.of(p.batch()),
        stride(p.a()), stride(p.b()));
  }

  private static Formula stride(Matrix matrix) {
    return Formula.of(matrix.isRowMajor() ? matrix.rowStride() : matrix.columnStride());
  }

  GemmExtents transposed() {
    return new GemmExtents(n, m, k, batch, strideB, strideA);
  }

  /** Tiles of these rows and columns that cover C, batch and all. */
  Formula groups(int rows, int columns) {
    return m.ceilDiv(rows).times(n.ceilDiv(columns)).times(batch);
  }
}
