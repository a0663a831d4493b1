package tilewright.kernels.library;

import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;

/** FlashAttention-2 on SM80. */
final class Sm80AttentionDescription extends AttentionDescription {
  Sm80AttentionDescription() {
    super(new Sm80AttentionKernel(), Target.SM80, "FlashAttention-2");
  }

  @Override
  public Optional<AttentionBackwardKernel> backward() {
    return Optional.of(new Sm80AttentionBackwardKernel());
  }
}
