package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.LaunchSequence;

/** A way to compute attention's gradients. */
public interface AttentionBackwardKernel {

  String name();

  /** The architecture it needs, such as {@code sm80}. */
  String arch();

  /** Why it cannot compute a problem, if it cannot. */
  Optional<String> refusal(AttentionBackwardProblem problem);

  /**
   * The launches: D = rowsum(O ∘ dO) of every row, the gradients, and dQ in the operands' type.
   *
   * @throws IllegalArgumentException where there is a {@link #refusal}, or tensors break what the kernel relies on
   */
  LaunchSequence prepare(AttentionBackwardProblem problem);
}
