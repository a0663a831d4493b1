package tilewright.kernels.attention;

import tilewright.kernel.TensorSpec;

/** The variants that users ask for: of any strides, with bands, modifications, packed sequences and lists of blocks. */
sealed interface StridedVariant extends AttentionVariant permits Sm80AttentionConfig, Sm80FfpaConfig {
  /** Whether the head dimensions are the tile's; else they may be smaller. */
  boolean exactDims();

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

  private StridedSpecs specs() {
    return new StridedSpecs(type(), output(), accesses(), exactDims(), tiling().dim(), tiling().valueDim());
  }
}
