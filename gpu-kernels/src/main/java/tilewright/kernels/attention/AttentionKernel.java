package tilewright.kernels.attention;

import java.util.Map;
import java.util.Optional;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/** A way to compute attention. */
public interface AttentionKernel {

  String name();

  /** The architecture it needs, such as {@code sm80}. */
  String arch();

  /** Why it cannot compute a problem, if it cannot. */
  Optional<String> refusal(AttentionProblem problem);

  /**
   * The kernel in the tiles that a GPU's shared memory allows.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  default AttentionKernel on(int capability) {
    return this;
  }

  /** The kernel with a row of a tile for each query, whichever heads read the same keys: one kernel for all of them. */
  default AttentionKernel withoutPacking() {
    return this;
  }

  /** Buffers that a launch needs besides the problem's, by name: so many bytes of zeros, which it leaves so. */
  default Map<String, Long> zeros(AttentionProblem problem) {
    return Map.of();
  }

  /** Whether a block's P refers to the largest scores of the blocks before, and its largest element is rounded, too. */
  default boolean anticipates(AttentionProblem problem) {
    return false;
  }

  /**
   * The kernel in one launch, which splits no keys.
   *
   * @throws IllegalArgumentException where there is a {@link #refusal}, or tensors break what the kernel relies on
   */
  PreparedLaunch prepare(AttentionProblem problem);

  /**
   * The launches that are fastest: one, or where keys are split, another that merges the splits.
   *
   * @throws IllegalArgumentException like {@link #prepare}
   */
  default LaunchSequence launches(AttentionProblem problem) {
    return LaunchSequence.of(prepare(problem));
  }

  /**
   * The launch that computes the schedule of {@link tilewright.kernels.attention.serving.KeySplits.Balanced}, into the
   * buffer that the problem names: once for the attention of all layers on caches of these lengths.
   *
   * @throws IllegalArgumentException where the kernel or the problem has none, or there is a {@link #refusal}
   */
  default PreparedLaunch schedule(AttentionProblem problem) {
    throw new IllegalArgumentException(name() + " has no schedule");
  }

  /** The lists of blocks that a problem that skips blocks needs, in the tiles that {@link #prepare} takes. */
  default BlockMask blockMask(AttentionProblem problem) {
    throw new IllegalArgumentException(name() + " skips no blocks");
  }
}
