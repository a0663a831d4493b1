package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.Rows;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(m,n) = X(m,n) / √(mean of X(m,·)² + 10⁻⁵) · W(n), row by row of X (M,N). The squares are summed in the
 * accumulator's type. A NaN makes the row NaN; an infinity makes the finite rest of its row zero and itself NaN.
 */
record RmsNorm(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  private static final float EPSILON = 1e-5f;

  static final Family FAMILY = new RowFamily("rms_norm", "Y = X / sqrt(mean(X²) + 1e-5) · W, row by row (M,N), W (N)",
      List.of(RowFamily.ACCUMULATOR)) {
    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var accumulator = accumulator(choice, type);
      return rows(choice, new RmsNorm(type, accumulator, shape), shape,
          RowReference.rmsNorm(type, accumulator, choice.number("n"), EPSILON),
          Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"),
          Operand.output("Y", type, choice, "m", "n"));
    }
  };

  @Override
  public String name() {
    return "rms_norm_" + type.text() + "_" + accumulator.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.tile(k, "X", type, shape);
    var w = RowFamily.shared(k, "W", type, shape);
    var y = RowFamily.tile(k, "Y", type, shape);
    var rows = new Rows(k, thread, shape, x);
    var group = new ThreadGroup(k, thread, shape.block(), shape.threads());
    var share = k.constant(1f).dividedBy(x.extent(1).toF32());

    var squares = k.accumulator();
    rows.forEach(run -> run.values().forEach(v ->
        squares.set(v.fma(v, squares.value()).roundedTo(accumulator))));
    var mean = group.reduce(squares.value(), (a, b) -> a.plus(b).roundedTo(accumulator)).times(share);
    var factor = k.constant(1f).dividedBy(mean.roundedTo(accumulator).plus(EPSILON).root());

    rows.forEach(run -> {
      var results = new ArrayList<F32>();
      var weights = run.shared(w);
      for (var v : run.values()) results.add(v.times(factor).times(weights.get(results.size())));
      run.store(y, results);
    });
  }
}
