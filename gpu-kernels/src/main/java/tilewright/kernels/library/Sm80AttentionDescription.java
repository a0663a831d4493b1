package tilewright.kernels.library;

import tilewright.kernel.Target;
import tilewright.kernels.attention.Sm80AttentionKernel;

/** FlashAttention-2 on SM80. */
final class Sm80AttentionDescription extends AttentionDescription {
  Sm80AttentionDescription() {
    super(new Sm80AttentionKernel(), Target.SM80, "FlashAttention-2");
  }
}
