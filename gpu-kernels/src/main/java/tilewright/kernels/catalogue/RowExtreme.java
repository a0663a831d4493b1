package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernel.collective.Rows;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Y(m) = the largest or smallest of X(m,·), row by row of X (M,N), by one warp or one CTA per row, or as many threads
 * as suit its length. Of nothing it is -∞ or +∞; a NaN makes it NaN.
 */
record RowExtreme(Extreme extreme, ElementType type, RowShape shape) implements Kernel {
  enum Extreme {
    MAX(Float.NEGATIVE_INFINITY, "largest") {
      @Override
      F32 of(F32 a, F32 b) {
        return a.max(b);
      }

      @Override
      double of(double a, double b) {
        return Math.max(a, b);
      }
    },
    MIN(Float.POSITIVE_INFINITY, "smallest") {
      @Override
      F32 of(F32 a, F32 b) {
        return a.min(b);
      }

      @Override
      double of(double a, double b) {
        return Math.min(a, b);
      }
    };

    private final float ofNothing;
    private final String text;

    Extreme(float ofNothing, String text) {
      this.ofNothing = ofNothing;
      this.text = text;
    }

    abstract F32 of(F32 a, F32 b);

    abstract double of(double a, double b);

    private String family() {
      return "row_" + name().toLowerCase(Locale.ROOT);
    }
  }

  static final List<Family> FAMILIES = Stream.of(Extreme.values()).map(e -> family(e, Target.SM90A.capability()))
      .toList();

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(Extreme extreme, int capability) {
    return new RowFamily(capability, extreme.family(), "Y = the " + extreme.text + " of X, row by row (M,N), Y (M)",
        List.of(Setting.option("threads", "auto", "32", "256"))) {
      @Override
      Workload workload(Choice choice, ElementType type, RowShape own) {
        int columns = choice.number("n");
        var shape = choice.text("threads").equals("auto")
            ? readOnce(choice, type, own, runs -> runs < LONG ? SHORT_STEPS : LONG_STEPS)
            : RowShape.of(type, columns,
                RowTuning.NONE.withThreads(choice.number("threads")).withVector(vector(choice)));
        return rows(choice, new RowExtreme(extreme, type, shape), shape,
            reference(extreme, choice.number("m"), columns),
            Operand.input("X", type, choice, "m", "n"), Operand.output("Y", type, choice, "m"));
      }

      @Override
      public Family on(int other) {
        return family(extreme, other);
      }
    };
  }

  private static Reference reference(Extreme extreme, int rows, int columns) {
    return tensors -> List.of(Expected.bits("Y", IntStream.range(0, rows).mapToDouble(m ->
        Arrays.stream(tensors.get("X"), m * columns, (m + 1) * columns).reduce(extreme.ofNothing, extreme::of))
        .toArray()));
  }

  @Override
  public String name() {
    return extreme.family() + "_" + type.text() + "_t" + shape.threads();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var y = k.global(TensorSpec.of("Y", type, "M"));
    new Rows(k, thread, shape, RowFamily.passing(k, "X", type, shape)).forTile(tile ->
        tile.reduce(extreme.ofNothing,
            (run, so) -> run.valuesOr(extreme.ofNothing).stream().reduce(so, extreme::of), extreme::of)
            .inLeaders((row, result) -> y.at(row).store(result.getFirst())));
  }
}
