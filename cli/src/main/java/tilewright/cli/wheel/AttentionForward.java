package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.library.AttentionKernels;

/** Attention's output and its rows' logarithms. */
final class AttentionForward implements PackagedOperator {
  @Override
  public String name() {
    return "attention_forward";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var kernels = AttentionKernels.builtIn().of(capability).stream().map(AttentionKernel::withoutPacking)
        .toList();
    // One kernel of SM90 serves all head dimensions up to its tile's.
    var dims = capability < 90 ? AttentionKind.DIMS : AttentionKind.multiples(AttentionKind.VECTOR);
    return AttentionKind.all(capability).map(attention ->
        attention.of(attention.key(), dims, new Problem(attention, kernels)));
  }

  private record Problem(AttentionKind attention, List<AttentionKernel> kernels) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var numbers = attention.draw(axes, random);
      AttentionKind.drawStrides(numbers, random, "q", "k", "v", "o", "lse");
      return numbers;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = attention.problem(numbers);
      var kernel = kernels.stream().filter(k -> k.refusal(problem).isEmpty()).findFirst().orElseThrow(() ->
          new IllegalArgumentException("no kernel computes this attention"));
      return LaunchSequence.of(kernel.prepare(problem));
    }
  }
}
