package tilewright.ops.collectives;

import java.util.function.DoubleBinaryOperator;

/** Functions that make one element of those of all ranks. */
public enum Reduction {
  SUM(0, (a, b) -> a + b),
  PRODUCT(1, (a, b) -> a * b),
  MAX(2, Math::max),
  MIN(3, Math::min),
  /** The sum over the number of ranks. */
  MEAN(4, (a, b) -> a + b);

  private final int code;
  private final DoubleBinaryOperator pair;

  Reduction(int code, DoubleBinaryOperator pair) {
    this.code = code;
    this.pair = pair;
  }

  /** NCCL's {@code ncclRedOp_t} (nccl.h). */
  int code() {
    return code;
  }

  /** Combines the elements of all ranks, in their order. */
  double of(double[] elements) {
    double result = elements[0];
    for (int i = 1; i < elements.length; i++) result = pair.applyAsDouble(result, elements[i]);
    return this == MEAN ? result / elements.length : result;
  }
}
