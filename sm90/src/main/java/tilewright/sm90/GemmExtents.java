package tilewright.sm90;

import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.choice.Formula;

/**
 * The extents of a GEMM, as numbers or as names, and how many elements apart the rows of its operands lie, or their
 * columns, where these are contiguous.
 *
 * @param acrossA whether A is contiguous across k
 */
record GemmExtents(Formula m, Formula n, Formula k, Formula batch, Formula strideA, Formula strideB, boolean acrossA,
    boolean acrossB) {
  /** Extents M, N, K and L and strides A_s and B_s by name, of operands that are contiguous along k. */
  static final GemmExtents NAMED = named(false, false);

  /** Returns extents M, N, K and L and strides A_s and B_s by name, of problems whose operands lie as those of one. */
  static GemmExtents named(GemmProblem like) {
    return named(!like.a().isRowMajor(), !like.b().isRowMajor());
  }

  private static GemmExtents named(boolean acrossA, boolean acrossB) {
    return new GemmExtents(Formula.of("M"), Formula.of("N"), Formula.of("K"), Formula.of("L"), Formula.of("A_s"),
        Formula.of("B_s"), acrossA, acrossB);
  }

  static GemmExtents of(GemmProblem p) {
    return new GemmExtents(Formula.of(p.m()), Formula.of(p.n()), Formula.of(p.k()), Formula.of(p.batch()),
        stride(p.a()), stride(p.b()), !p.a().isRowMajor(), !p.b().isRowMajor());
  }

  /** How many elements apart the rows of an operand lie, or its columns. */
  private static Formula stride(Matrix matrix) {
    return Formula.of(matrix.isRowMajor() ? matrix.rowStride() : matrix.columnStride());
  }

  GemmExtents transposed() {
    return new GemmExtents(n, m, k, batch, strideB, strideA, acrossB, acrossA);
  }

  /** Tiles of these rows and columns that cover C, batch and all. */
  Formula groups(int rows, int columns) {
    return m.ceilDiv(rows).times(n.ceilDiv(columns)).times(batch);
  }
}
