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
 * Y(m,n) = (X(m,n) - μ(m)) / √(σ²(m) + 10⁻⁵) · W(n) + B(n), where μ is the mean of row m of X (M,N) and σ² the mean of
 * the squared differences to it, taken in a second pass over the row. A NaN or infinity makes the row NaN.
 */
record LayerNorm(ElementType type, RowShape shape) implements Kernel {
  static final float EPSILON = 1e-5f;

  static final Family FAMILY = new RowFamily("layer_norm", "Y = (X - mean) / sqrt(variance + 1e-5) · W + B, row by row "
      + "(M,N), W and B (N)", List.of()) {
    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      return rows(choice, new LayerNorm(type, shape), shape,
          RowReference.layerNorm(type, choice.number("n"), EPSILON), Operand.input("X", type, choice, "m", "n"),
          Operand.input("W", type, choice, "n"), Operand.input("B", type, choice, "n"),
          Operand.output("Y", type, choice, "m", "n"));
    }
  };

  @Override
  public String name() {
    return "layer_norm_" + type.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.tile(k, "X", type, shape);
    var w = RowFamily.shared(k, "W", type, shape);
    var b = RowFamily.shared(k, "B", type, shape);
    var y = RowFamily.tile(k, "Y", type, shape);
    var rows = new Rows(k, thread, shape, x);
    var group = new ThreadGroup(k, thread, shape.block(), shape.threads());
    var share = k.constant(1f).dividedBy(x.extent(1).toF32());

    var sum = k.accumulator();
    rows.forEach(run -> run.values().forEach(sum::add));
    var mean = group.sum(sum.value()).times(share);

    var squares = k.accumulator();
    rows.forEach(run -> run.values().stream().map(v -> v.minus(mean)).map(d -> d.where(run.inside(), k.constant(0f)))
        .forEach(d -> squares.fma(d, d)));
    var factor = k.constant(1f).dividedBy(group.sum(squares.value()).fma(share, k.constant(EPSILON)).root());

    rows.forEach(run -> {
      var results = new ArrayList<F32>();
      var weights = run.shared(w);
      var bias = run.shared(b);
      for (var v : run.values()) {
        int i = results.size();
        results.add(v.minus(mean).times(factor).fma(weights.get(i), bias.get(i)));
      }
      run.store(y, results);
    });
  }
}
