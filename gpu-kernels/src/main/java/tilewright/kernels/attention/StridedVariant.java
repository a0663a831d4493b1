package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.TensorSpec;

/** The variants that users ask for: of any strides, with bands, modifications, packed sequences and lists of blocks. */
sealed interface StridedVariant extends AttentionVariant permits Sm80AttentionConfig, Sm80FfpaConfig {
  /** Whether the head dimensions are the tile's; else they may be smaller. */
  boolean exactDims();

  /** Whether the rows' logarithms are stored. */
  boolean lse();

  @Override
  default TensorSpec q() {
    return specs().q();
  }

  @Override
  default TensorSpec k() {
    return specs().k();
  }

  @Override
  default TensorSpec v() {
    return specs().v();
  }

  @Override
  default TensorSpec o() {
    return specs().o();
  }

  @Override
  default Optional<TensorSpec> logSumExp() {
    return lse() ? Optional.of(AttentionSpecs.logSumExp()) : Optional.empty();
  }

  private StridedSpecs specs() {
    return new StridedSpecs(type(), output(), vector(), exactDims(), tiling().dim(), tiling().valueDim());
  }
}
