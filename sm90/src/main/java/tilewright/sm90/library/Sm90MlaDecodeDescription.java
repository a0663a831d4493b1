package tilewright.sm90.library;

import tilewright.kernel.Target;
import tilewright.kernels.library.LatentAttentionDescription;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;

/** Decoding by multi-head latent attention on Hopper. */
final class Sm90MlaDecodeDescription extends LatentAttentionDescription {
  Sm90MlaDecodeDescription() {
    super(new Sm90MlaDecodeKernel(), Target.SM90A, "latent attention, few queries on a cache, V in the rows of K");
  }}
