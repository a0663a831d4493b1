package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernel.collective.Rows;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(m,n) = (X(m,n) - μ(m)) / √(σ²(m) + 10⁻⁵) · W(n) + B(n), where μ is the mean of row m of X (M,N) and σ²
 * the mean of the squared differences to it, taken in a second pass over the row. Both are summed and kept in the
 * accumulator's type. A NaN or infinity makes the row NaN.
 */
record LayerNorm(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  static final float EPSILON = 1e-5f;

  static final List<Family> FAMILIES = List.of(new RowFamily("layer_norm",
      "Y = (X - mean) / sqrt(variance + 1e-5) · W + B, row by row (M,N), W and B (N)",
      List.of(RowFamily.ACCUMULATOR)) {
    @Override
    RowTuning liked(ElementType type, int columns) {
      int bytes = columns * type.bytes();
      if (type.bits() == 32 && bytes <= 2048) return small(1, 2);
      if (type.bits() == 32) return small(bytes <= 16384 ? 2 : bytes <= 32768 ? 4 : 8, 1);
      return switch (bytes) {
        case 1024 -> small(1, 4);
        case 2048 -> small(2, 2);
        case 8192 -> small(4, 2);
        default -> bytes <= 256 ? new RowTuning(0, 64, 1, 2, 0, 0) : small(bytes < 8192 ? 4 : 8, 1);
      };
    }

    @Override
    boolean clusters() {
      return true;
    }

    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var accumulator = accumulator(choice, type);
      return rows(choice, new LayerNorm(type, accumulator, shape), shape,
          RowReference.layerNorm(type, accumulator, choice.number("n"), EPSILON),
          Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"),
          Operand.input("B", type, choice, "n"), Operand.output("Y", type, choice, "m", "n"));
    }
  });

  @Override
  public String name() {
    return "layer_norm_" + type.text() + "_" + accumulator.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.source(k, "X", type, shape);
    var y = RowFamily.matrix(k, "Y", type, shape);
    var rows = new Rows(k, thread, shape, x);
    var weights = rows.columns(RowFamily.shared(k, "W", type, shape));
    var biases = rows.columns(RowFamily.shared(k, "B", type, shape));
    var share = k.constant(1f / Math.max(1, shape.length()));

    rows.forTile(tile -> {
      var means = tile.reduce(0, (run, sum) -> run.valuesLater().stream().reduce(sum, this::plus), this::plus)
          .mapOnly(sum -> sum.times(share).roundedTo(accumulator));
      var factors = tile.reduce(0, (run, sum) -> {
        var squares = sum;
        for (var v : run.valuesLater()) {
          var d = v.minus(means.only(run)).where(run.inside(), k.constant(0f));
          squares = d.fma(d, squares).roundedTo(accumulator);
        }
        return squares;
      }, this::plus).mapOnly(sum -> sum.times(share).roundedTo(accumulator).plus(EPSILON).reciprocalRoot());

      tile.forEach(run -> {
        var results = new ArrayList<F32>();
        var w = weights.of(run);
        var b = biases.of(run);
        for (var v : run.valuesLater()) {
          int i = results.size();
          results.add(v.minus(means.only(run)).times(factors.only(run)).fma(w.get(i), b.get(i)));
        }
        run.store(y, results);
      });
    });
  }

  private F32 plus(F32 a, F32 b) {
    return a.plus(b).roundedTo(accumulator);
  }
}
