package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernel.collective.Rows;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(m,n) = X(m,n) / √(mean of X(m,·)² + epsilon) · W(n), row by row of X (M,N); the launch gives epsilon. The squares
 * are summed in the accumulator's type: in f16, a row whose squares are more than 65504 together becomes zero. A NaN
 * makes the row NaN; an infinity makes the finite rest of its row zero and itself NaN.
 */
record RmsNorm(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  private static final float EPSILON = 1e-5f;
  private static final String EPSILON_NAME = "epsilon";

  static final List<Family> FAMILIES = List.of(new RowFamily("rms_norm",
      "Y = X / sqrt(mean(X²) + 1e-5) · W, row by row (M,N), W (N)", List.of(RowFamily.ACCUMULATOR)) {
    @Override
    RowTuning liked(ElementType type, int columns) {
      int bytes = columns * type.bytes();
      boolean singles = type.bits() == 32;
      if (bytes <= (singles ? 2048 : 512)) return small(1, singles ? 2 : 1);
      // In two CTAs of 1024 threads per SM, with 64 KiB under way.
      if (singles && (bytes == 8192 || bytes == 16384)) return small(1, 2).withBeside(2);
      if (bytes == 16384) return small(2, 2);
      // With more registers one CTA fewer fits an SM: 5 and 25 % slower.
      if (!singles && bytes == 8192) return small(2, 1).withBlocks(6);
      if (!singles && bytes == 32768) return small(4, 1).withBlocks(2);
      // 1024 threads, whose 64 registers also have converted values: with more accesses in them they spill.
      if (!singles && bytes == 131072) return small(8, 1).withKept(6);
      return small(bytes <= (singles ? 32768 : 16384) ? 2 : bytes <= 32768 ? 4 : 8, 1);
    }

    @Override
    boolean clusters() {
      return true;
    }

    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      var accumulator = accumulator(choice, type);
      return rows(choice, new RmsNorm(type, accumulator, shape), shape, Map.of(EPSILON_NAME, EPSILON),
          RowReference.rmsNorm(type, accumulator, choice.number("n"), EPSILON),
          Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"),
          Operand.output("Y", type, choice, "m", "n"));
    }
  });

  @Override
  public String name() {
    return "rms_norm_" + type.text() + "_" + accumulator.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.source(k, "X", type, shape);
    var y = RowFamily.matrix(k, "Y", type, shape);
    var rows = new Rows(k, thread, shape, x);
    var weights = rows.columns(RowFamily.shared(k, "W", type, shape));
    var epsilon = k.scalar(EPSILON_NAME);

    rows.forTile(tile -> {
      var factors = tile.reduce(0, (run, sum) -> {
        var squares = sum;
        for (var v : run.valuesLater()) squares = v.fma(v, squares).roundedTo(accumulator);
        return squares;
      }, (a, b) -> a.plus(b).roundedTo(accumulator))
          .mapOnly(sum -> sum.dividedBy(Math.max(1, shape.length())).roundedTo(accumulator).plus(epsilon)
              .refinedReciprocalRoot());

      tile.forEach(run -> {
        var results = new ArrayList<F32>();
        var w = weights.of(run);
        for (var v : run.valuesLater()) results.add(v.times(factors.only(run)).times(w.get(results.size())));
        run.store(y, results);
      });
    });
  }
}
