package tilewright.kernel;

import java.util.List;
import java.util.Map;
import tilewright.ptx.Operand;

/**
 * Computes symbolic integers on the CPU, straight from how they would be computed on the GPU: an oracle for
 * simplification.
 */
final class Evaluator {
  private final Map<Node, Long> known;

  Evaluator(Map<Node, Long> known) {
    this.known = known;
  }

  long value(I32 x) {
    return value(x.value);
  }

  private long value(Linear x) {
    long sum = x.constant();
    for (var term : x.terms()) sum += term.factor() * value(term.atom());
    return sum;
  }

  private long value(Node node) {
    if (known.containsKey(node)) return known.get(node);
    List<Long> a = node.recipe.arguments().stream().map(this::value).toList();
    return switch (node.recipe.name()) {
      case "shr.u32" -> a.get(0) >>> a.get(1);
      case "and.b32" -> a.get(0) & a.get(1);
      case "xor.b32" -> a.get(0) ^ a.get(1);
      case "div.u32" -> a.get(0) / a.get(1);
      case "rem.u32" -> a.get(0) % a.get(1);
      case "min.s32" -> Math.min(a.get(0), a.get(1));
      case "max.s32" -> Math.max(a.get(0), a.get(1));
      case "mul.lo.s32" -> a.get(0) * a.get(1);
      default -> throw new AssertionError("no rule for " + node.recipe.name());
    };
  }

  private long value(Node.Argument argument) {
    return switch (argument) {
      case Node.Argument.Value v -> value(v.node());
      case Node.Argument.Sum s -> value(s.linear());
      case Node.Argument.Constant c -> ((Operand.Integer) c.operand()).value();
      case Node.Argument.Place p -> throw new AssertionError("no rule for memory at " + p);
    };
  }
}
