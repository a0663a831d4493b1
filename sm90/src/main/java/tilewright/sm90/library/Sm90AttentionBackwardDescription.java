package tilewright.sm90.library;

import tilewright.kernel.Target;
import tilewright.kernels.library.AttentionBackwardDescription;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;

/** FlashAttention-3's gradients on Hopper. */
final class Sm90AttentionBackwardDescription extends AttentionBackwardDescription {
  Sm90AttentionBackwardDescription() {
    super(new Sm90AttentionBackwardKernel(), new Sm90AttentionKernel(), Target.SM90A, "FlashAttention-3");
  }
}
