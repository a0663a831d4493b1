package tilewright.sm90;

import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.choice.Formula;

/**
 * The extents of a GEMM, as numbers or as names, and how many elements apart the rows of its operands lie, or their
 * columns, where these are contiguous.
 */
record GemmExtents(Formula m, Formula n, Formula k, Formula batch, Formula strideA, Formula strideB) {
  private static final int SHORT_K = 4096;

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

  /** How often so many rows and columns together cover C. */
  Formula groups(int rows, int columns) {
    return m.ceilDiv(rows).times(n.ceilDiv(columns)).times(batch);
  }

  /** One where waiting for a matrix that is read takes longer than what smaller tiles cost, else zero. */
  Formula isWaiting(GemmTile tile) {
    var shortK = k.atMost(Formula.of(SHORT_K), Formula.of(1), Formula.of(0));
    return groups(tile.m(), tile.n()).atMost(Formula.of(GemmTile.MULTIPROCESSORS), Formula.of(0), shortK);
  }
}
