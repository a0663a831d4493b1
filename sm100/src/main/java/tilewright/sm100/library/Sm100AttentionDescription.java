package tilewright.sm100.library;

import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.library.AttentionDescription;
import tilewright.kernels.registry.Timing;
import tilewright.sm100.attention.Sm100AttentionKernel;

/** FlashAttention-4 on Blackwell. */
final class Sm100AttentionDescription extends AttentionDescription {
  Sm100AttentionDescription() {
    super(new Sm100AttentionKernel(), Target.SM100A, "FlashAttention-4");
  }

  /** Nothing: no Blackwell GPU has run it. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
