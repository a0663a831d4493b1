package tilewright.kernels.library;

import tilewright.kernel.Target;
import tilewright.kernels.attention.decoding.Sm80MlaDecodeKernel;

/** Decoding by multi-head latent attention on SM80. */
final class Sm80MlaDecodeDescription extends LatentAttentionDescription {
  Sm80MlaDecodeDescription() {
    this(new Sm80MlaDecodeKernel());
  }

  private Sm80MlaDecodeDescription(Sm80MlaDecodeKernel kernel) {
    super(kernel, Target.SM80, "latent attention, few queries on a cache, V in the rows of K");
  }

  @Override
  public Sm80MlaDecodeDescription on(int capability) {
    return new Sm80MlaDecodeDescription(new Sm80MlaDecodeKernel(capability));
  }
}
