package tilewright.sm100.library;

import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.library.AttentionBackwardDescription;
import tilewright.kernels.registry.Timing;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;

/** FlashAttention-4's gradients on Blackwell. */
final class Sm100AttentionBackwardDescription extends AttentionBackwardDescription {
  Sm100AttentionBackwardDescription() {
    super(new Sm100AttentionBackwardKernel(), new Sm100AttentionKernel(), Target.SM100A, "FlashAttention-4");
  }

  /** Nothing: no Blackwell GPU has run it. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
