package tilewright.kernels.library;

import tilewright.kernel.Target;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;

/** FlashAttention-2's gradients on SM80. */
final class Sm80AttentionBackwardDescription extends AttentionBackwardDescription {
  Sm80AttentionBackwardDescription() {
    this(new Sm80AttentionBackwardKernel(), new Sm80AttentionKernel());
  }

  private Sm80AttentionBackwardDescription(Sm80AttentionBackwardKernel kernel, Sm80AttentionKernel forward) {
    super(kernel, forward, Target.SM80, "FlashAttention-2");
  }

  @Override
  public Sm80AttentionBackwardDescription on(int capability) {
    return new Sm80AttentionBackwardDescription(new Sm80AttentionBackwardKernel().on(capability),
        new Sm80AttentionKernel().on(capability));
  }
}
