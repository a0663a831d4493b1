package tilewright.kernels.catalogue;

import java.util.List;
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
import tilewright.reference.SumReference;

/**
 * Y(m) = Σ X(m,·) over the rows of X (M,N), by one warp or one block a row, or as many threads as the row wants. Each
 * addition is rounded to the accumulator's type, and so is Y (M). A NaN, or infinities of both signs, make a row's sum
 * NaN.
 */
record RowSum(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new RowFamily(capability, "row_sum", "Y = Σ X, row by row (M,N), Y (M)",
        List.of(RowFamily.ACCUMULATOR, Setting.option("threads", "auto", "32", "256"))) {
      @Override
      List<String> types() {
        return List.of("f32", "f16", "bf16", "e4m3", "e5m2");
      }

      @Override
      public Target target(Choice choice) {
        return choice.type("dtype").bits() == 8 ? Target.ofBytes(capability) : Target.SM80;
      }

      @Override
      Workload workload(Choice choice, ElementType type, RowShape own) {
        int columns = choice.number("n");
        var shape = choice.text("threads").equals("auto") ? readOnce(choice, type, own, runs -> steps(type, runs))
            : RowShape.of(type, columns,
                RowTuning.NONE.withThreads(choice.number("threads")).withVector(vector(choice)));
        var accumulator = accumulator(choice, type);
        return rows(choice, new RowSum(type, accumulator, shape), shape,
            SumReference.rows(accumulator, choice.number("m"), columns, shape::order),
            Operand.input("X", type, choice, "m", "n"), Operand.output("Y", accumulator, choice, "m"));
      }

      @Override
      public Family on(int other) {
        return family(other);
      }
    };
  }

  /** The steps measured fastest on an H200 for rows of {@code runs} accesses. */
  private static RowFamily.Steps steps(ElementType type, int runs) {
    boolean singles = type.bits() == 32;
    if (runs < RowFamily.LONG) {
      return singles || runs < 2048 ? RowFamily.SHORT_STEPS : new RowFamily.Steps(2, 256, 1536);
    }
    return singles && runs < 8192 ? new RowFamily.Steps(4, 512, 1024) : RowFamily.LONG_STEPS;
  }

  @Override
  public String name() {
    return "row_sum_" + type.text() + "_" + accumulator.text() + "_t" + shape.threads();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var y = k.global(TensorSpec.of("Y", accumulator, "M"));
    new Rows(k, thread, shape, RowFamily.passing(k, "X", type, shape)).forTile(tile ->
        tile.reduce(0, (run, sum) -> run.values().stream().reduce(sum, this::plus), this::plus)
            .inLeaders((row, total) -> y.at(row).store(total.getFirst())));
  }

  private F32 plus(F32 a, F32 b) {
    return a.plus(b).roundedTo(accumulator);
  }
}
