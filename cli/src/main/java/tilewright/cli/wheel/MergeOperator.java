package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.merging.MergedState;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;

/**
 * One O (B,Sq,H,D) and one logarithm for each row of several: stacks (N,B,Sq,H,D) and (N,B,H,Sq). Numbers are N, the
 * extents, strides of each tensor and those p_n and l_n from state to state.
 */
final class MergeOperator implements PackagedOperator {
  private static final int HOPPER = 90;
  private static final int MOST_STATES = 1 << 5;
  private static final int MOST_ROWS = 1 << 11;
  private static final int MOST_HEADS = 100;
  /** States that a warp adds for each row, and one more. */
  private static final List<Long> STATES = List.of(1L, 8L, 64L);

  @Override
  public String name() {
    return "merge_states";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var target = capability == HOPPER ? Target.SM90A : Target.SM80;
    var axes = List.of(Axis.only("dim", Formula.of("D"), CachedAttention.DIMS),
        new Axis("states", Formula.of("N"), 1, STATES));
    return Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32).map(type -> new OperatorCase(type.text(),
        axes, List.of("Sq", "H", "B"), List.of(), List.of(), new Problem(type, target)));
  }

  private record Problem(ElementType type, Target target) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("D", axes.get("dim"));
      n.put("N", axes.get("states"));
      n.put("B", 1L + random.nextInt(MOST_STATES));
      n.put("Sq", 1L + random.nextInt(MOST_ROWS));
      n.put("H", 1L + random.nextInt(MOST_HEADS));
      AttentionKind.drawStrides(n, random, "p", "l", "o", "lse");
      for (var next : List.of("p_n", "l_n")) n.put(next, (long) AttentionKind.VECTOR * random.nextInt(MOST_ROWS));
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      int dim = Math.toIntExact(n.get("D"));
      int heads = Math.toIntExact(n.get("H"));
      var sizes = new Sizes(Math.toIntExact(n.get("B")), Math.toIntExact(n.get("Sq")), 0, heads, heads, dim, dim);
      var states = new PartialStates(type, sizes, Math.toIntExact(n.get("N")),
          new PartialStates.Stack(AttentionKind.view(n, "p"), n.get("p_n")),
          new PartialStates.Stack(AttentionKind.view(n, "l"), n.get("l_n")));
      var into = new MergedState(type, AttentionKind.view(n, "o"), Optional.of(AttentionKind.view(n, "lse")),
          Optional.empty());
      return LaunchSequence.of(StateMerge.prepare(states, into, target));
    }
  }
}
