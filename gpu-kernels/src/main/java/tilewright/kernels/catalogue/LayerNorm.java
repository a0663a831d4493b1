package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
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
 * Y(m,n) = (X(m,n) - μ(m)) / √(σ²(m) + epsilon) · W(n) + B(n), where μ is the mean of row m of X (M,N) and σ² its
 * variance; the launch gives epsilon. A first pass over the row rounds μ to one number; a second sums the differences
 * to it and their squares, and so finds what rounding took from μ and from σ². Without that, a constant row of 10⁶
 * would become -1 instead of 0: where σ² is small, 1/√(σ² + 10⁻⁵) amplifies an error of μ 316 times. Sums are kept in
 * the accumulator's type. A NaN or infinity makes the row NaN.
 */
record LayerNorm(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  static final float EPSILON = 1e-5f;
  private static final String EPSILON_NAME = "epsilon";

  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new RowFamily(capability, "layer_norm",
        "Y = (X - mean) / sqrt(variance + 1e-5) · W + B, row by row (M,N), W and B (N)",
        List.of(RowFamily.ACCUMULATOR)) {
      @Override
      RowTuning liked(ElementType type, int columns) {
        int bytes = columns * type.bytes();
        if (type.bits() == 32 && bytes <= 2048) return small(1, 2);
        // Left alone, the driver's compiler takes a few registers more, and a CTA fewer fits an SM: up to 6 % slower.
        if (type.bits() == 32 && bytes == 16384) return small(2, 1).withBlocks(4);
        if (type.bits() == 32) return small(bytes <= 16384 ? 2 : bytes <= 32768 ? 4 : 8, 1);
        return switch (bytes) {
          case 1024 -> small(1, 4);
          case 2048 -> small(2, 2);
          case 8192 -> small(4, 2).withBlocks(5);
          case 16384 -> small(8, 1).withBlocks(5);
          // 1024 threads, whose 64 registers also have converted values: with more accesses in them they spill.
          case 131072 -> small(8, 1).withKept(5);
          default -> bytes <= 256 ? new RowTuning(0, 64, 1, 2, 0, 20) : small(bytes < 8192 ? 4 : 8, 1);
        };
      }

      @Override
      boolean clusters() {
        return true;
      }

      @Override
      Workload workload(Choice choice, ElementType type, RowShape shape) {
        var accumulator = accumulator(choice, type);
        return rows(choice, new LayerNorm(type, accumulator, shape), shape, Map.of(EPSILON_NAME, EPSILON),
            RowReference.layerNorm(type, accumulator, choice.number("n"), EPSILON),
            Operand.input("X", type, choice, "m", "n"), Operand.input("W", type, choice, "n"),
            Operand.input("B", type, choice, "n"), Operand.output("Y", type, choice, "m", "n"));
      }

      @Override
      public Family on(int other) {
        return family(other);
      }
    };
  }

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
    var scale = k.constant(scale());
    var epsilon = k.scalar(EPSILON_NAME);

    rows.forTile(tile -> {
      var means = tile.reduce(0, (run, sum) -> {
        for (var v : run.valuesLater()) sum = v.fma(scale, sum).roundedTo(accumulator);
        return sum;
      }, this::plus).mapOnly(sum -> sum.dividedBy(length() * scale()).roundedTo(accumulator));
      var rest = tile.reduce(List.of(0f, 0f), (run, sums) -> {
        var differences = sums.getFirst();
        var squares = sums.getLast();
        for (var v : run.valuesLater()) {
          var d = v.minus(means.only(run)).where(run.inside(), k.constant(0f));
          differences = plus(differences, d);
          squares = d.fma(d, squares).roundedTo(accumulator);
        }
        return List.of(differences, squares);
      }, (a, b) -> List.of(plus(a.getFirst(), b.getFirst()), plus(a.getLast(), b.getLast())))
          .map(sums -> corrections(sums.getFirst(), sums.getLast(), epsilon));

      tile.forEach(run -> {
        var results = new ArrayList<F32>();
        var w = weights.of(run);
        var b = biases.of(run);
        for (var v : run.valuesLater()) {
          int i = results.size();
          var centred = v.minus(means.only(run)).minus(rest.of(run).getFirst());
          results.add(centred.times(rest.of(run).getLast()).fma(w.get(i), b.get(i)));
        }
        run.store(y, results);
      });
    });
  }

  /** The error of the rounded mean, and 1 / √(σ² + epsilon), from the sums of differences to it and their squares. */
  private List<F32> corrections(F32 differences, F32 squares, F32 epsilon) {
    var lacking = differences.dividedBy(length()).roundedTo(accumulator);
    var variance = lacking.negated().fma(differences, squares).max(squares.constant(0)).dividedBy(length());
    return List.of(lacking, variance.roundedTo(accumulator).plus(epsilon).refinedReciprocalRoot());
  }

  private float length() {
    return Math.max(1, shape.length());
  }

  /** A power of two, by which values are summed smaller, so that an FP32 sum overflows only where the mean does. */
  private float scale() {
    return accumulator == ElementType.F32 ? 0.5f / Math.max(1, Integer.highestOneBit(shape.length())) : 1;
  }

  private F32 plus(F32 a, F32 b) {
    return a.plus(b).roundedTo(accumulator);
  }
}
