package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.Exponential;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTile;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernel.collective.Rows;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(m,n) = exp(X(m,n) - s(m)) / Σ exp(X(m,·) - s(m)), row by row of X (M,N). {@code plain} has s = 0, overflows
 * beyond 88, and makes a row NaN whose values are all below -87; {@code safe} has the row's largest value, found
 * first; {@code online} finds it together with the sum. A NaN or +∞ makes the row NaN (plain: ∞ / ∞ at the
 * infinity), -∞ becomes 0, and a row of nothing else NaN.
 */
record Softmax(Method method, ElementType type, RowShape shape) implements Kernel {
  enum Method { ONLINE, SAFE, PLAIN }

  private static final Exponential EXPONENTIAL = Exponential.QUICK;

  static final List<Family> FAMILIES = List.of(new RowFamily("softmax", "Y = softmax(X), row by row (M,N)",
      List.of(Setting.option("method", "online", "safe", "plain"))) {
    @Override
    RowTuning liked(ElementType type, int columns) {
      int bytes = columns * type.bytes();
      if (type.bits() == 32 && bytes <= 2048) return small(1, 2);
      if (type.bits() == 32) return small(bytes == 65536 ? 8 : bytes < 16384 ? 2 : 4, bytes == 16384 ? 2 : 1);
      return small(bytes <= 4096 ? 2 : 4, 1);
    }

    @Override
    boolean clusters() {
      return true;
    }

    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var method = Method.valueOf(choice.text("method").toUpperCase(java.util.Locale.ROOT));
      return rows(choice, new Softmax(method, type, shape), shape,
          RowReference.softmax(type, choice.number("n"), method != Method.PLAIN),
          Operand.input("X", type, choice, "m", "n"), Operand.output("Y", type, choice, "m", "n"));
    }
  });

  @Override
  public String name() {
    return "softmax_" + method.name().toLowerCase(java.util.Locale.ROOT) + "_" + type.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.source(k, "X", type, shape);
    var y = RowFamily.matrix(k, "Y", type, shape);
    new Rows(k, thread, shape, x).forTile(tile -> {
      var total = switch (method) {
        case PLAIN -> sum(tile, tile.each(List.of(k.constant(0f))));
        case SAFE -> sum(tile, max(tile));
        case ONLINE -> new OnlineSum(EXPONENTIAL).of(tile);
      };
      // With an approximate reciprocal the compiler takes more registers, and long rows are slower by up to a third.
      var factors = total.map(t -> List.of(t.get(0), k.constant(1f).dividedBy(t.get(1))));
      tile.forEach(run -> {
        var max = factors.of(run).get(0);
        var factor = factors.of(run).get(1);
        run.store(y, run.values().stream().map(v -> EXPONENTIAL.times(v.minus(max), factor)).toList());
      });
    });
  }

  private static RowTile.PerRow max(RowTile tile) {
    return tile.reduce(OnlineSum.LOWEST,
        (run, max) -> run.valuesOr(OnlineSum.LOWEST).stream().reduce(max, F32::max), F32::max);
  }

  /** The sums of exponentials relative to the maxima, beside these. */
  private static RowTile.PerRow sum(RowTile tile, RowTile.PerRow max) {
    var sum = tile.reduce(0, (run, so) -> run.valuesOr(Float.NEGATIVE_INFINITY).stream()
        .map(v -> EXPONENTIAL.of(v.minus(max.only(run)))).reduce(so, F32::plus), F32::plus);
    return max.and(sum);
  }
}
