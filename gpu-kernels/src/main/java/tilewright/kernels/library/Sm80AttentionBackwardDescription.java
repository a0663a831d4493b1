package tilewright.kernels.library;

import tilewright.kernel.Target;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;

/** FlashAttention-2's gradients on SM80. */
final class Sm80AttentionBackwardDescription extends AttentionBackwardDescription {
  Sm80AttentionBackwardDescription() {
    super(new Sm80AttentionBackwardKernel(), new Sm80AttentionKernel(), Target.SM80, "FlashAttention-2");
  }
}
