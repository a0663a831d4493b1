package tilewright.sm90.library;

import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.library.AttentionDescription;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;

/** FlashAttention-3 on Hopper. */
final class Sm90AttentionDescription extends AttentionDescription {
  Sm90AttentionDescription() {
    super(new Sm90AttentionKernel(), Target.SM90A, "FlashAttention-3");
  }

  @Override
  public Optional<AttentionBackwardKernel> backward() {
    return Optional.of(new Sm90AttentionBackwardKernel());
  }
}
