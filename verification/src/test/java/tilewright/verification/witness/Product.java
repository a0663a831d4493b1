package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tilewright.numerics.ElementType;
import tilewright.numerics.TensorCoreModel;
import tilewright.numerics.TensorCoreOperands;

/**
 * C = A B^T of bf16 in FP32 as tensor cores of one architecture add up, both factors K-major.
 *
 * @param a m rows of k
 * @param b n rows of k
 */
record Product(int m, int n, int k, short[] a, short[] b) {
  /** A multiple of every depth that is added up at once: what is missing counts as zero. */
  private static final int WHOLE = 64;

  static Product random(int m, int n, int k) {
    return new Product(m, n, k, Floats.bf16(Floats.mixed(m * k, 1)), Floats.bf16(Floats.mixed(n * k, 2)));
  }

  private TensorCoreOperands[] rows(short[] matrix) {
    var rows = new TensorCoreOperands[matrix.length / k];
    for (int row = 0; row < rows.length; row++) {
      var bits = new long[Math.ceilDiv(k, WHOLE) * WHOLE];
      for (int i = 0; i < k; i++) bits[i] = matrix[row * k + i] & 0xFFFF;
      rows[row] = new TensorCoreOperands(ElementType.BF16, bits);
    }
    return rows;
  }

  /** @param architecture compute capability times ten */
  MemorySegment expected(int architecture) {
    var model = TensorCoreModel.mma(architecture, ElementType.BF16, ElementType.F32);
    var left = rows(a);
    var right = rows(b);
    var c = new int[m * n];
    Arrays.setAll(c, i -> (int) model.dot(0, left[i / n], right[i % n]));
    return MemorySegment.ofArray(c);
  }
}
