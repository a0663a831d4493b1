package tilewright.reference;

import java.util.List;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/** C (M,N) = A (M,K) · B (K,N), rows contiguous: the definition, and as kernels add it up. */
public final class MatrixReference {
  private MatrixReference() {}

  private interface Factor {
    double of(double value);
  }

  private interface Step {
    double add(double sum, double x, double y);
  }

  /** One fused multiply-add after the other in the accumulator's type, rounded at the end: a kernel's exact bits. */
  public static Reference sequential(ElementType type, ElementType accumulator, int m, int n, int k) {
    // Products of two numbers of 16 bits, and their sums, are exact in FP64 before they are rounded.
    Step step = accumulator == ElementType.F32 ? (sum, x, y) -> Math.fma((float) x, (float) y, (float) sum)
        : (sum, x, y) -> accumulator.round(x * y + sum);
    return product(type, m, n, k, x -> x, step, true);
  }

  /** Factors rounded to tf32; of each sum what is below an FP32's last place is cut off, as tensor cores do. */
  public static Reference tf32(int m, int n, int k) {
    return product(ElementType.F32, m, n, k,
        x -> ElementType.TF32.toDouble(ElementType.TF32.fromDouble(x, Rounding.NEAREST_AWAY)),
        MatrixReference::cutOff, false);
  }

  /** Factors as they are, sums cut off likewise, rounded to the type at the end. */
  public static Reference tensorCores(ElementType type, int m, int n, int k) {
    return product(type, m, n, k, x -> x, MatrixReference::cutOff, false);
  }

  private static double cutOff(double sum, double x, double y) {
    return ElementType.F32.toDouble(ElementType.F32.fromDouble(sum + x * y, Rounding.TOWARD_ZERO));
  }

  private static Reference product(ElementType type, int m, int n, int k, Factor factor, Step step, boolean bitwise) {
    return tensors -> {
      var a = tensors.get("A");
      var b = tensors.get("B");
      var exact = new double[m * n];
      var stepwise = new double[m * n];
      for (int i = 0; i < m * n; i++) {
        double sum = 0;
        for (int j = 0; j < k; j++) {
          double x = factor.of(a[i / n * k + j]);
          double y = factor.of(b[j * n + i % n]);
          exact[i] += x * y;
          sum = step.add(sum, x, y);
        }
        stepwise[i] = type.round(sum);
      }
      return List.of(new Expected("C", exact, stepwise, bitwise));
    };
  }
}
