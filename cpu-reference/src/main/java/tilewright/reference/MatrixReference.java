package tilewright.reference;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/** C (M,N) = A (M,K) · B (K,N), rows contiguous: the definition, and as kernels add it up. */
public final class MatrixReference {
  private MatrixReference() {}

  /** Products that a tensor core adds before it rounds a sum of f16, on SM80. */
  private static final int AT_ONCE = 8;

  private interface Factor {
    double of(double value);
  }

  private interface Step {
    double add(double sum, double x, double y);
  }

  /** The order of B in memory. */
  public enum Order {
    /** B (K,N). */
    ROWS,
    /** B (N,K). */
    COLUMNS
  }

  /** One fused multiply-add after the other in the accumulator's type, rounded at the end: a kernel's exact bits. */
  public static Reference sequential(ElementType type, ElementType accumulator, int m, int n, int k) {
    // Products of two numbers of 16 bits, and their sums, are exact in FP64 before they are rounded.
    Step step = accumulator == ElementType.F32 ? (sum, x, y) -> Math.fma((float) x, (float) y, (float) sum)
        : (sum, x, y) -> accumulator.round(x * y + sum);
    return product(type, Order.ROWS, m, n, k, x -> x, Sum.of(step), true);
  }

  /** Factors rounded to tf32; of each sum what is below an FP32's last place is cut off, as tensor cores do. */
  public static Reference tf32(int m, int n, int k) {
    return product(ElementType.F32, Order.ROWS, m, n, k,
        x -> ElementType.TF32.toDouble(ElementType.TF32.fromDouble(x, Rounding.NEAREST_AWAY)),
        Sum.of(MatrixReference::cutOff), false);
  }

  /**
   * Factors as they are; sums of FP32 cut off as those of {@link #tf32}, sums of f16 rounded after every eight
   * products; rounded to the type at the end.
   */
  public static Reference tensorCores(ElementType type, ElementType accumulator, Order order, int m, int n, int k) {
    var sum = accumulator == ElementType.F32 ? Sum.of(MatrixReference::cutOff)
        : new Sum((so, x, y) -> so + x * y, accumulator::round);
    return product(type, order, m, n, k, x -> x, sum, false);
  }

  /**
   * How products are added.
   *
   * @param rounded the rounding of a sum after every {@link #AT_ONCE} products
   */
  private record Sum(Step step, DoubleUnaryOperator rounded) {
    static Sum of(Step step) {
      return new Sum(step, sum -> sum);
    }
  }

  private static double cutOff(double sum, double x, double y) {
    return ElementType.F32.toDouble(ElementType.F32.fromDouble(sum + x * y, Rounding.TOWARD_ZERO));
  }

  private static Reference product(ElementType type, Order order, int m, int n, int k, Factor factor, Sum adding,
      boolean bitwise) {
    return tensors -> {
      var a = tensors.get("A");
      var b = tensors.get("B");
      var exact = new double[m * n];
      var stepwise = new double[m * n];
      for (int i = 0; i < m * n; i++) {
        double sum = 0;
        for (int j = 0; j < k; j++) {
          double x = factor.of(a[i / n * k + j]);
          double y = factor.of(b[order == Order.ROWS ? j * n + i % n : i % n * k + j]);
          exact[i] += x * y;
          sum = adding.step.add(sum, x, y);
          if (j % AT_ONCE == AT_ONCE - 1) sum = adding.rounded.applyAsDouble(sum);
        }
        stepwise[i] = type.round(adding.rounded.applyAsDouble(sum));
      }
      return List.of(new Expected("C", exact, stepwise, bitwise));
    };
  }
}
