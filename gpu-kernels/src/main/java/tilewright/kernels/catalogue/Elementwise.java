package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pair;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernels.Pointwise;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;

/**
 * Y(i) = f(X(i)…) over N elements in FP32, rounded once to the element type; NaNs and infinities as the
 * formula has them. With {@code math=native} two elements an instruction in their own type, each operation rounded.
 * A thread has all loads of a tile under way before it stores; the last tile goes element by element.
 */
record Elementwise(Pointwise f, ElementType type, int vector, boolean pairs, int threads, int bytes)
    implements Kernel {
  private static final int THREADS = 128;
  /** Bytes that a thread reads of each input: with 2048 threads per SM, what memory needs under way. */
  private static final int BYTES = 16;

  static final List<Family> FAMILIES = Arrays.stream(Pointwise.values()).map(Elementwise::family).toList();

  private static Family family(Pointwise f) {
    return new Family() {
      @Override
      public String name() {
        return f.text();
      }

      @Override
      public String formula() {
        return f.formula() + ", element by element (N)";
      }

      @Override
      public List<Setting> settings() {
        return List.of(Setting.extent("n", 1 << 20), Setting.option("dtype", "f32", "f16", "bf16"),
            Setting.option("vec", "16", "4", "1"),
            f.hasPairs(ElementType.F16) ? Setting.option("math", "single", "native") : Setting.option("math", "single"),
            Setting.tuning("threads"), Setting.tuning("bytes"));
      }

      @Override
      public boolean supports(Choice choice) {
        return choice.text("math").equals("single")
            || f.hasPairs(choice.type("dtype"));
      }

      @Override
      public List<List<Integer>> awkward() {
        return List.of(List.of(0), List.of(1), List.of(16381), List.of(16384 + 1));
      }

      @Override
      public List<List<Integer>> measured() {
        return List.of(List.of(1 << 28));
      }

      @Override
      public Workload workload(Choice choice) {
        var type = choice.type("dtype");
        var kernel = new Elementwise(f, type, choice.vector("vec", type), choice.text("math").equals("native"),
            choice.tuned("threads", THREADS), choice.tuned("bytes", BYTES));
        var reference = f.reference().of(type, kernel.pairs, f.inputs().toArray(String[]::new));
        var operands = new ArrayList<Operand>();
        for (var name : f.inputs()) operands.add(Operand.input(name, type, choice, "n"));
        operands.add(Operand.output("Y", type, choice, "n"));
        return Workload.of(kernel, Target.SM80, Math.ceilDiv(choice.number("n"), kernel.partition().size()),
            reference, operands.toArray(Operand[]::new));
      }
    };
  }

  @Override
  public String name() {
    return f.text() + "_" + type.text() + "_x" + vector + (pairs ? "_native" : "");
  }

  private Partition partition() {
    return Partition.runs(threads, vector, bytes / type.bytes() / vector);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads);
    var mine = partition();
    var tile = List.of(mine.size());
    var inputs = f.inputs().stream().map(name -> k.global(tensor(name).lastingReads()).tile(tile, k.blockX()))
        .toList();
    var y = k.global(tensor("Y")).tile(tile, k.blockX());

    k.when(y.contains(k.constant(mine.size() - 1)),
        () -> {
          var loaded = new ArrayList<List<Vector>>();
          for (int v = 0; v < mine.values(); v += vector) {
            var first = mine.coordinate(thread, v);
            loaded.add(inputs.stream().map(x -> x.at(first).vector(vector)).toList());
          }
          for (int v = 0; v < mine.values(); v += vector) {
            var to = y.at(mine.coordinate(thread, v));
            store(to, loaded.get(v / vector));
          }
        },
        () -> k.loop(thread, y.remaining(0, mine.size()), threads, i ->
            store(y.at(i), inputs.stream().map(x -> x.at(i).vector(1)).toList())));
  }

  private TensorSpec tensor(String name) {
    return TensorSpec.of(name, type, "N").contiguous("N").aligned(vector);
  }

  /** Stores the function of neighbours. */
  private void store(Element to, List<Vector> loaded) {
    if (pairs) to.store(inPairs(loaded));
    else to.store(results(loaded));
  }

  private List<F32> results(List<Vector> loaded) {
    return eachOf(loaded.stream().map(Vector::values).toList(),
        x -> type == ElementType.F32 ? f.of(x) : f.narrow(x));
  }

  private Vector inPairs(List<Vector> loaded) {
    var results = eachOf(loaded.stream().map(Vector::pairs).toList(), f::inPairs);
    return loaded.getFirst().isSingle() ? results.getFirst().single() : Pair.join(results);
  }

  /** The results at each place of the inputs. */
  private static <T> List<T> eachOf(List<List<T>> inputs, Function<List<T>, T> function) {
    return IntStream.range(0, inputs.getFirst().size())
        .mapToObj(i -> function.apply(inputs.stream().map(x -> x.get(i)).toList())).toList();
  }
}
