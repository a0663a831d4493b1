package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Y(m,n) = W(I(m), n): row I(m) of the table W (V,N) for every m, every bit as it was. An index outside 0…V-1 gives a
 * row of zeros.
 */
record Embedding(ElementType type, RowShape shape) implements Kernel {
  private static final int LARGEST = 4096;
  /** Runs per thread: with more, rows that are moved together lie farther apart, and memory is slower. */
  private static final int RUNS = 2;
  /** The most threads of a row. */
  private static final int MOST_THREADS = 512;

  static final List<Family> FAMILIES = List.of(new RowFamily("embedding", "Y (M,N) = W (V,N) at rows I (M)",
      List.of(Setting.option("vec", "16", "4", "1"))) {
    @Override
    List<Setting> common() {
      var settings = new ArrayList<>(super.common());
      settings.add(2, Setting.extent("v", LARGEST));
      return settings;
    }

    /** The width of accesses is an option here. */
    @Override
    List<Setting> tunings() {
      return super.tunings().stream().filter(setting -> setting != VECTOR).toList();
    }

    /** Four bytes are one FP32 number. */
    @Override
    public boolean supports(Choice choice) {
      return !choice.text("vec").equals("4") || choice.type("dtype").bits() == 16;
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0, 8, 3), List.of(1, 1, 1), List.of(5, 67, 4), List.of(7, 1004, 9), List.of(3, 9000, 2),
          List.of(9, 256, 5));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 20, 256, 1 << 20), List.of(1 << 16, 4096, 1 << 16));
    }

    @Override
    Workload workload(Choice choice, ElementType type, RowShape free) {
      int m = choice.number("m");
      int v = choice.number("v");
      int n = choice.number("n");
      int lanes = choice.tuned("lanes", 0);
      int vector = choice.vector("vec", type);
      var tuning = RowTuning.NONE.withVector(vector);
      var shape = RowShape.of(type, n, lanes > 0 ? tuning.withThreads(lanes)
          : tuning.withRuns(choice.tuned("runs", Math.max(RUNS, n / vector / MOST_THREADS)))).walking();
      // One beyond the table, so that an index without a row is among them.
      return rows(choice, new Embedding(type, shape), shape, reference(m, n, v),
          Operand.indices("I", v + 1L, choice, "m"), Operand.input("W", type, choice, "v", "n"),
          Operand.output("Y", type, choice, "m", "n")).moving((long) m * Integer.BYTES + 2L * m * n * type.bytes());
    }
  });

  private static Reference reference(int m, int n, int v) {
    return tensors -> List.of(Expected.bits("Y", IntStream.range(0, m * n).mapToDouble(i -> {
      int row = (int) tensors.get("I")[i / n];
      return row >= 0 && row < v ? tensors.get("W")[row * n + i % n] : 0;
    }).toArray()));
  }

  @Override
  public String name() {
    return "embedding_" + type.text() + "_x" + shape.vector();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var indices = k.global(TensorSpec.of("I", ElementType.I32, "M")).tile(List.of(shape.rows()), k.blockX());
    var w = k.global(TensorSpec.of("W", type, "V", "N").contiguous("N").aligned(shape.vector())
        .fixed("N", shape.length()).lastingReads());
    var y = RowFamily.matrix(k, "Y", type, shape).tile(List.of(shape.rows()), k.blockX(), k.constant(0));
    var place = shape.partition().coordinate(thread, 0);

    k.when(indices.contains(place[0]), () -> {
      var index = indices.at(place[0]).loadInteger();
      k.loop(place[1], y.extent(1), shape.columns(), from -> {
        var loaded = IntStream.range(0, shape.accesses()).mapToObj(access -> {
          var column = from.plus(shape.accessOffset(access));
          return w.at(index, column).vectorOrZeros(shape.vector(), w.contains(index, column).and(index.atLeast(0)));
        }).toList();
        for (int access = 0; access < shape.accesses(); access++) {
          var target = y.at(place[0], from.plus(shape.accessOffset(access)));
          var row = loaded.get(access);
          k.when(target.inside(), () -> target.store(row));
        }
      });
    });
  }
}
