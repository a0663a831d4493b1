package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.library.AttentionBackwardKernels;

/** The gradients of attention; those with additions in a fixed order are for SM90. */
final class AttentionGradients implements PackagedOperator {
  private static final String DETERMINISTIC = "-deterministic";
  /** Elements that head dimensions are multiples of: the kernel that sums O ∘ dO is made for a number of them. */
  private static final int ROW = 32;
  private static final int ORDERED = 90;

  @Override
  public String name() {
    return "attention_backward";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var kernels = AttentionBackwardKernels.builtIn().of(capability);
    var dims = capability < 90 ? AttentionKind.DIMS : AttentionKind.multiples(ROW);
    var inAnyOrder = AttentionKind.withGradients(capability).map(attention ->
        attention.of(attention.key(), dims, new Problem(attention, false, kernels)));
    var inOrder = AttentionKind.plain().map(attention ->
        attention.of(attention.key() + DETERMINISTIC, dims, new Problem(attention, true, kernels)));
    return capability == ORDERED ? Stream.concat(inAnyOrder, inOrder) : inAnyOrder;
  }

  private record Problem(AttentionKind attention, boolean deterministic, List<AttentionBackwardKernel> kernels)
      implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var numbers = attention.draw(axes, random);
      AttentionKind.drawStrides(numbers, random, "q", "k", "v", "o", "lse", "do", "dq", "dk", "dv");
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = attention.gradients(numbers, deterministic);
      var kernel = kernels.stream().filter(k -> k.refusal(problem).isEmpty()).findFirst().orElseThrow(() ->
          new IllegalArgumentException("no kernel computes these gradients"));
      return kernel.prepare(problem);
    }
  }
}
