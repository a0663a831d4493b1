package tilewright.kernels.catalogue;

import java.util.List;
import java.util.stream.IntStream;
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
import tilewright.reference.SumReference;

/**
 * Y(m) = Σ A(m,·) · X(·): A (M,N) times X (N), by 16 or 32 threads per row or as many as suit its length. Each
 * addition of a product is rounded to the accumulator's type, Y once. NaNs and infinities as in the sum of products.
 */
record Gemv(ElementType type, ElementType accumulator, RowShape shape) implements Kernel {
  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new RowFamily(capability, "gemv", "Y (M) = A (M,N) · X (N)",
        List.of(RowFamily.ACCUMULATOR, Setting.option("threads", "auto", "16", "32"))) {
      @Override
      Workload workload(Choice choice, ElementType type, RowShape own) {
        int n = choice.number("n");
        var shape = choice.text("threads").equals("auto") ? readOnce(choice, type, own, Gemv::steps)
            : RowShape.of(type, n, RowTuning.NONE.withThreads(choice.number("threads")).withVector(vector(choice)));
        var accumulator = accumulator(choice, type);
        int m = choice.number("m");
        var reference = accumulator == ElementType.F32 ? reference(type, m, n)
            : SumReference.products(accumulator, "A", "X", m, n, shape::order);
        return rows(choice, new Gemv(type, accumulator, shape), shape, reference,
            Operand.input("A", type, choice, "m", "n"), Operand.input("X", type, choice, "n"),
            Operand.output("Y", type, choice, "m"));
      }

      @Override
      public Family on(int other) {
        return family(other);
      }
    };
  }

  /** The steps measured fastest on an H200 for rows of {@code runs} accesses; factors need registers, too. */
  private static RowFamily.Steps steps(int runs) {
    if (runs < RowFamily.LONG) return RowFamily.SHORT_STEPS;
    if (runs < 8192) return new RowFamily.Steps(8, 256, 768);
    if (runs >= 16384) return new RowFamily.Steps(4, 512, 1536);
    // Where the last step is cut, bounds need registers, too: of those of 2048 threads ptxas spills some.
    var most = RowFamily.LONG_STEPS;
    return runs % (most.accesses() * most.threads()) == 0 ? most : new RowFamily.Steps(4, 512, 1024);
  }

  private static Reference reference(ElementType type, int m, int n) {
    return tensors -> {
      var exact = IntStream.range(0, m).mapToDouble(row -> IntStream.range(0, n)
          .mapToDouble(i -> tensors.get("A")[row * n + i] * tensors.get("X")[i]).sum()).toArray();
      var single = IntStream.range(0, m).mapToDouble(row -> {
        float sum = 0;
        for (int i = 0; i < n; i++) {
          sum = Math.fma((float) tensors.get("A")[row * n + i], (float) tensors.get("X")[i], sum);
        }
        return type.round(sum);
      }).toArray();
      return List.of(Expected.rounded("Y", exact, single));
    };
  }

  @Override
  public String name() {
    return "gemv_" + type.text() + "_" + accumulator.text() + "_t" + shape.threads();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var rows = new Rows(k, thread, shape, RowFamily.passing(k, "A", type, shape));
    var factors = rows.columns(RowFamily.shared(k, "X", type, shape));
    var y = k.global(TensorSpec.of("Y", type, "M"));
    rows.forTile(tile -> tile.reduce(0, (run, so) -> {
      var sum = so;
      var values = run.values();
      var others = factors.of(run);
      for (int i = 0; i < shape.vector(); i++) sum = values.get(i).fma(others.get(i), sum).roundedTo(accumulator);
      return sum;
    }, (a, b) -> a.plus(b).roundedTo(accumulator)).inLeaders((row, total) -> y.at(row).store(total.getFirst())));
  }
}
