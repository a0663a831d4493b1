package tilewright.cli.wheel;

import java.util.Locale;
import java.util.function.Function;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;

/** The epilogues that the package has products with. */
enum GemmEpilogue {
  PLAIN(StandardEpilogue.PLAIN::tree),
  BIAS(StandardEpilogue.BIAS::tree),
  BIAS_RELU(StandardEpilogue.BIAS_RELU::tree),
  BIAS_GELU(StandardEpilogue.BIAS_GELU::tree),
  BIAS_GELU_TANH(StandardEpilogue.BIAS_GELU_TANH::tree),
  BIAS_SILU(StandardEpilogue.BIAS_SILU::tree),
  /** alpha · product + bias + beta · R. */
  RESIDUAL(type -> Epilogue.accumulator().times(Epilogue.scalar("alpha")).plus(Epilogue.columnBias("bias", type))
      .plus(Epilogue.source("R", type).times(Epilogue.scalar("beta"))).convert(type)),
  /** Numbers SA and SB in memory are factors. */
  TENSOR(type -> scaled(Epilogue.factor("SA"), Epilogue.factor("SB"), type)),
  /** Vectors SA (M) and SB (N) are factors. */
  ROW(type -> scaled(Epilogue.rowBias("SA", ElementType.F32), Epilogue.columnBias("SB", ElementType.F32), type)),
  /** Factors of 128 of k take part in the sums, and nothing is left for the epilogue. */
  BLOCK(StandardEpilogue.PLAIN::tree);

  private final Function<ElementType, Epilogue> tree;

  GemmEpilogue(Function<ElementType, Epilogue> tree) {
    this.tree = tree;
  }

  private static Epilogue scaled(Epilogue ofA, Epilogue ofB, ElementType type) {
    return Epilogue.accumulator().times(ofA).times(ofB).plus(Epilogue.columnBias("bias", type)).convert(type);
  }

  /** The name in keys. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The tree for an output, and bias and R, of a type. */
  Epilogue tree(ElementType type) {
    return tree.apply(type);
  }
}
