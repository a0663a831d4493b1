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
 * Y(m,n) = X(m,n) / √(mean of X(m,·)² + 10⁻⁵) · W(n), row by row of X (M,N). A NaN makes the row NaN; an infinity makes
 * the finite rest of its row zero and itself NaN.
 */
record RmsNorm(ElementType type, RowShape shape) implements Kernel {
  private static final float EPSILON = 1e-5f;

  static final Family FAMILY = new RowFamily("rms_norm", "Y = X / sqrt(mean(X²) + 1e-5) · W, row by row (M,N), W (N)",
      List.of()) {
    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      return rows(choice, new RmsNorm(type, shape), shape, RowReference.rmsNorm(type, choice.number("n"), EPSILON),
          Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"),
          Operand.output("Y", type, choice, "m", "n"));
    }
  };

  @Override
  public String name() {
    return "rms_norm_" + type.text();
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
    rows.forEach(run -> run.values().forEach(v -> squares.fma(v, v)));
    var factor = k.constant(1f).dividedBy(group.sum(squares.value()).fma(share, k.constant(EPSILON)).root());

    rows.forEach(run -> {
      var results = new ArrayList<F32>();
      var weights = run.shared(w);
      for (var v : run.values()) results.add(v.times(factor).times(weights.get(results.size())));
      run.store(y, results);
    });
  }
}
