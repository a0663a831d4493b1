package tilewright.kernels.library;

import tilewright.kernel.Target;
import tilewright.kernels.attention.Sm80AttentionKernel;

/** FlashAttention-2 on SM80. */
final class Sm80AttentionDescription extends AttentionDescription {
  Sm80AttentionDescription() {
    this(new Sm80AttentionKernel());
  }

  private Sm80AttentionDescription(Sm80AttentionKernel kernel) {
    super(kernel, Target.SM80, "FlashAttention-2");
  }

  @Override
  public Sm80AttentionDescription on(int capability) {
    return new Sm80AttentionDescription(new Sm80AttentionKernel().on(capability));
  }
}
