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
 * the squared differences to it, taken in a second pass over the row. Both are summed and kept in the accumulator's
 * type. A NaN or infinity makes the row NaN.
 */
record LayerNorm(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  static final float EPSILON = 1e-5f;

  static final Family FAMILY = new RowFamily("layer_norm", "Y = (X - mean) / sqrt(variance + 1e-5) · W + B, row by row "
      + "(M,N), W and B (N)", List.of(RowFamily.ACCUMULATOR)) {
    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var accumulator = accumulator(choice, type);
      return rows(choice, new LayerNorm(type, accumulator, shape), shape,
          RowReference.layerNorm(type, accumulator, choice.number("n"), EPSILON),
          Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"), Operand.input("B", type, choice, "n"),
          Operand.output("Y", type, choice, "m", "n"));
    }
  };

  @Override
  public String name() {
    return "layer_norm_" + type.text() + "_" + accumulator.text();
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
    rows.forEach(run -> run.values().forEach(v -> sum.set(plus(sum.value(), v))));
    var mean = group.reduce(sum.value(), this::plus).times(share).roundedTo(accumulator);

    var squares = k.accumulator();
    rows.forEach(run -> run.values().stream().map(v -> v.minus(mean)).map(d -> d.where(run.inside(), k.constant(0f)))
        .forEach(d -> squares.set(d.fma(d, squares.value()).roundedTo(accumulator))));
    var variance = group.reduce(squares.value(), this::plus).times(share).roundedTo(accumulator);
    var factor = k.constant(1f).dividedBy(variance.plus(EPSILON).root());

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

  private F32 plus(F32 a, F32 b) {
    return a.plus(b).roundedTo(accumulator);
  }
}
