package tilewright.sm90.library;

import tilewright.kernel.Target;
import tilewright.kernels.library.AttentionDescription;
import tilewright.sm90.attention.Sm90AttentionKernel;

/** FlashAttention-3 on Hopper. */
final class Sm90AttentionDescription extends AttentionDescription {
  Sm90AttentionDescription() {
    super(new Sm90AttentionKernel(), Target.SM90A, "FlashAttention-3");
  }
}
