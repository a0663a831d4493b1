package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.Rows;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(m,n) = exp(X(m,n) - s(m)) / Σ exp(X(m,·) - s(m)), row by row of X (M,N). {@code plain} has s = 0 and overflows
 * beyond 88; {@code safe} has the row's largest value, found first; {@code online} finds it together with the sum.
 * A NaN or +∞ makes the row NaN (plain: ∞ / ∞ at the infinity), -∞ becomes 0.
 */
record Softmax(Method method, ElementType type, RowShape shape) implements Kernel {
  private static final float LOG2_E = 1.44269504f;
  /** Below every finite value, yet its difference to itself is a number. */
  private static final float LOWEST = -Float.MAX_VALUE;

  enum Method { ONLINE, SAFE, PLAIN }

  static final Family FAMILY = new RowFamily("softmax", "Y = softmax(X), row by row (M,N)",
      List.of(Setting.option("method", "online", "safe", "plain"))) {
    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var method = Method.valueOf(choice.text("method").toUpperCase(java.util.Locale.ROOT));
      return rows(choice, new Softmax(method, type, shape), shape,
          RowReference.softmax(type, choice.number("n"), method != Method.PLAIN),
          Operand.input("X", type, choice, "m", "n"), Operand.output("Y", type, choice, "m", "n"));
    }
  };

  /** A maximum, and a sum of exponentials relative to it. */
  private record Partial(F32 max, F32 sum) {
    static List<F32> merge(List<F32> a, List<F32> b) {
      var max = a.get(0).max(b.get(0));
      return List.of(max, a.get(1).times(scale(a.get(0), max)).plus(b.get(1).times(scale(b.get(0), max))));
    }
  }

  @Override
  public String name() {
    return "softmax_" + method.name().toLowerCase(java.util.Locale.ROOT) + "_" + type.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.tile(k, "X", type, shape);
    var y = RowFamily.tile(k, "Y", type, shape);
    var rows = new Rows(k, thread, shape, x);
    var group = new ThreadGroup(k, thread, shape.block(), shape.threads());

    var total = switch (method) {
      case PLAIN -> new Partial(k.constant(0f), sum(k, rows, group, k.constant(0f)));
      case SAFE -> {
        var max = max(k, rows, group);
        yield new Partial(max, sum(k, rows, group, max));
      }
      case ONLINE -> online(k, rows, group);
    };
    var factor = k.constant(1f).dividedBy(total.sum);
    rows.forEach(run -> run.store(y, run.values().stream().map(v -> scale(v, total.max).times(factor)).toList()));
  }

  private static F32 max(Scope k, Rows rows, ThreadGroup group) {
    var max = k.accumulator(LOWEST);
    rows.forEach(run -> run.valuesOr(LOWEST).forEach(v -> max.set(max.value().max(v))));
    return group.max(max.value());
  }

  private static F32 sum(Scope k, Rows rows, ThreadGroup group, F32 max) {
    var sum = k.accumulator();
    rows.forEach(run -> run.valuesOr(Float.NEGATIVE_INFINITY)
        .forEach(v -> sum.set(sum.value().plus(scale(v, max)))));
    return group.sum(sum.value());
  }

  private static Partial online(Scope k, Rows rows, ThreadGroup group) {
    var max = k.accumulator(LOWEST);
    var sum = k.accumulator();
    rows.forEach(run -> {
      var values = run.valuesOr(Float.NEGATIVE_INFINITY);
      var next = values.stream().reduce(max.value(), F32::max);
      var rescaled = sum.value().times(scale(max.value(), next));
      for (var v : values) rescaled = rescaled.plus(scale(v, next));
      sum.set(rescaled);
      max.set(next);
    });
    var all = group.reduceAll(List.of(max.value(), sum.value()), Partial::merge);
    return new Partial(all.get(0), all.get(1));
  }

  /** exp(x - max). */
  private static F32 scale(F32 x, F32 max) {
    return x.minus(max).times(LOG2_E).exp2();
  }
}
