package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;

/**
 * Attention with functions of scores and lists of blocks, and its gradients. Where there are lists of blocks, the first
 * launch makes those of the kernels' tiles.
 *
 * @param forms the functions
 * @param dims head dimensions that there are kernels for: others are filled up with zeros to the next
 */
record FlexOperator(boolean backward, List<TracedFunctions> forms, List<Long> dims) implements PackagedOperator {
  /** Head dimensions of kernels that are always in the package. */
  static final List<Long> COMMON = List.of(64L, 128L);
  private static final String[] FORWARD = {"q", "k", "v", "o", "lse"};
  private static final String[] BACKWARD = {"q", "k", "v", "o", "lse", "do", "dq", "dk", "dv"};

  /** Both passes. */
  static Stream<PackagedOperator> both(List<TracedFunctions> forms, List<Long> dims) {
    return Stream.of(new FlexOperator(false, forms, dims), new FlexOperator(true, forms, dims));
  }

  @Override
  public String name() {
    return backward ? "flex_backward" : "flex_forward";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var forward = AttentionKernels.builtIn().of(capability).stream().map(AttentionKernel::withoutPacking).toList();
    var gradients = AttentionBackwardKernels.builtIn().of(capability);
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> forms.stream().map(form -> {
      var kind = FlexKind.of(type, form);
      return kind.of(dims, backward ? new Gradients(kind, gradients) : new Forward(kind, forward));
    }));
  }

  private record Forward(FlexKind kind, List<AttentionKernel> kernels) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      return kind.draw(axes, random, FORWARD);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = kind.problem(numbers);
      var kernel = kernels.stream().filter(k -> k.refusal(problem).isEmpty()).findFirst().orElseThrow(() ->
          new IllegalArgumentException("no kernel computes this attention"));
      var attention = kernel.prepare(problem);
      if (!problem.blockMask()) return LaunchSequence.of(attention);
      var lists = kernel.blockMask(problem);
      return new LaunchSequence(List.of(lists.prepare(), attention), BlockMask.BUFFERS.stream()
          .map(name -> FlexKind.integers(name, lists.elements())).toList());
    }
  }

  private record Gradients(FlexKind kind, List<AttentionBackwardKernel> kernels) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      return kind.draw(axes, random, BACKWARD);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = AttentionBackwardProblem.dense(kind.problem(numbers)).at(AttentionKind.view(numbers, "do"),
          AttentionKind.view(numbers, "dq"), AttentionKind.view(numbers, "dk"), AttentionKind.view(numbers, "dv"));
      var kernel = kernels.stream().filter(k -> k.refusal(problem).isEmpty()).findFirst().orElseThrow(() ->
          new IllegalArgumentException("no kernel computes these gradients"));
      var sequence = kernel.prepare(problem);
      if (!problem.forward().blockMask()) return sequence;
      var lists = kernel.tileMask(problem);
      var launches = new ArrayList<>(lists.launches());
      launches.addAll(sequence.launches());
      var workspace = Stream.concat(Stream.of("tileCounts", "tileList")
          .map(name -> FlexKind.integers(name, lists.elements().get(name))), sequence.workspace().stream()).toList();
      return new LaunchSequence(launches, workspace);
    }
  }
}
