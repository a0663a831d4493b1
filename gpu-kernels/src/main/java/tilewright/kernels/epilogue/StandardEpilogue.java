package tilewright.kernels.epilogue;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue.Along;
import tilewright.numerics.ElementType;

/** Epilogues with a name; vectors are called bias, results of reductions sums or amax. */
public enum StandardEpilogue {
  PLAIN(Epilogue::scaled),
  BETA(Epilogue::linearCombination),
  /** A number in memory is one more factor. */
  FACTOR(type -> product().times(Epilogue.factor("factor")).convert(type)),
  BIAS(type -> biased(type).convert(type)),
  ROW_BIAS(type -> product().plus(Epilogue.rowBias("bias", type)).convert(type)),
  BIAS_RELU(type -> biased(type).apply(Pointwise.RELU).convert(type)),
  BIAS_GELU(type -> biased(type).apply(Pointwise.GELU_ERF).convert(type)),
  BIAS_GELU_TANH(type -> biased(type).apply(Pointwise.GELU_TANH).convert(type)),
  BIAS_SILU(type -> biased(type).apply(Pointwise.SWISH).convert(type)),
  /** Another matrix R added. */
  BIAS_RESIDUAL(type -> biased(type).plus(Epilogue.source("R", type)).convert(type)),
  /** Bias and GELU; the activation's input is stored in Z, for its derivative. */
  BIAS_GELU_AUX(type -> biased(type).store("Z", type).apply(Pointwise.GELU_ERF).convert(type)),
  ROW_SUM(type -> product().reduce("sums", Reduction.SUM, Along.ROWS).convert(type)),
  COLUMN_SUM(type -> product().reduce("sums", Reduction.SUM, Along.COLUMNS).convert(type)),
  AMAX(type -> product().amax("amax").convert(type)),
  SATURATED(type -> product().saturate(type));

  private final Function<ElementType, Epilogue> tree;

  StandardEpilogue(Function<ElementType, Epilogue> tree) {
    this.tree = tree;
  }

  private static Epilogue product() {
    return Epilogue.accumulator().times(Epilogue.scalar("alpha"));
  }

  private static Epilogue biased(ElementType type) {
    return product().plus(Epilogue.columnBias("bias", type));
  }

  /** The name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The tree, for D and all other tensors of a type. */
  public Epilogue tree(ElementType type) {
    return tree.apply(type);
  }

  /** @throws IllegalArgumentException naming those that there are */
  public static StandardEpilogue parse(String text) {
    return Arrays.stream(values()).filter(e -> e.text().equals(text)).findFirst().orElseThrow(() ->
        new IllegalArgumentException("invalid epilogue " + text + ": " + Arrays.stream(values())
            .map(StandardEpilogue::text).collect(Collectors.joining(" or "))));
  }
}
