package tilewright.kernels.attention;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernels.attention.AttentionProblem.View;

/**
 * Attention's gradients as a user asks for them:
 *
 * <pre>{@code
 * Attention.forward(ElementType.BF16, Sizes.of(2, 4096, 4096, 16, 128)).causal().backward().deterministic()
 *     .prepare(AttentionBackwardKernels.builtIn().of(90));
 * }</pre>
 */
public final class AttentionBackward {
  private AttentionBackwardProblem problem;

  AttentionBackward(AttentionBackwardProblem problem) {
    this.problem = problem;
  }

  /** Places the gradients elsewhere than in (B,S,H,D) tensors dO, dQ, dK and dV. */
  public AttentionBackward tensors(View dO, View dQ, View dK, View dV) {
    problem = problem.at(dO, dQ, dK, dV);
    return this;
  }

  /** Fixes the order of additions: every run gives the same bits. */
  public AttentionBackward deterministic() {
    problem = problem.deterministic(true);
    return this;
  }

  /**
   * The gradient of a captured tensor too: FP32 of its extents, dense in the buffer of its name behind a d. Launches
   * add to it: it is zeros before, or the gradient of other scores.
   *
   * @throws IllegalArgumentException unless the function of scores has a derivative by the tensor's elements
   */
  public AttentionBackward gradientOf(CapturedTensor tensor) {
    problem = problem.differentiating(tensor.name());
    return this;
  }

  public AttentionBackwardProblem problem() {
    return problem;
  }

  /**
   * The launches of the first of these kernels that can do it.
   *
   * @throws IllegalArgumentException saying why none can
   */
  public LaunchSequence prepare(List<AttentionBackwardKernel> kernels) {
    return choose(kernels).prepare(problem);
  }

  /**
   * The first of these kernels that can do it.
   *
   * @throws IllegalArgumentException saying why none can
   */
  public AttentionBackwardKernel choose(List<AttentionBackwardKernel> kernels) {
    var reasons = new ArrayList<String>();
    for (var kernel : kernels) {
      var reason = kernel.refusal(problem);
      if (reason.isEmpty()) return kernel;
      reasons.add(kernel.name() + ": " + reason.get());
    }
    throw new IllegalArgumentException("no kernel computes these gradients: " + String.join("; ", reasons));
  }
}
