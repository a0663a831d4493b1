package tilewright.sm100.library;

import java.util.Optional;
import tilewright.kernels.library.AttentionDescription;
import tilewright.kernels.registry.Timing;
import tilewright.sm100.attention.Sm100AttentionKernel;

/** FlashAttention-4 on Blackwell. */
final class Sm100AttentionDescription extends AttentionDescription {
  Sm100AttentionDescription() {
    this(new Sm100AttentionKernel());
  }

  private Sm100AttentionDescription(Sm100AttentionKernel kernel) {
    super(kernel, kernel.target(), "FlashAttention-4");
  }

  @Override
  public Sm100AttentionDescription on(int capability) {
    return new Sm100AttentionDescription(new Sm100AttentionKernel().on(capability));
  }

  /** Nothing: no Blackwell GPU has run it. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
