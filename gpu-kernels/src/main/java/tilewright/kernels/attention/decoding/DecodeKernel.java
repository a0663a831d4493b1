package tilewright.kernels.attention.decoding;

import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;

/** A kernel for few queries on the instructions that every GPU has from SM80 on. */
interface DecodeKernel extends AttentionKernel {
  /**
   * The launches of a problem.
   *
   * @throws IllegalArgumentException where the kernel refuses it
   */
  DecodeLaunches supported(AttentionProblem p);

  @Override
  default String arch() {
    return "sm80";
  }

  @Override
  default PreparedLaunch prepare(AttentionProblem p) {
    return supported(p).whole();
  }

  @Override
  default LaunchSequence launches(AttentionProblem p) {
    return supported(p).all();
  }

  @Override
  default PreparedLaunch schedule(AttentionProblem p) {
    return supported(p).schedule();
  }

  /** @throws IllegalArgumentException where the kernel refuses a problem */
  default void requireSupport(AttentionProblem p) {
    refusal(p).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
  }
}
