package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.EpilogueReference;
import tilewright.kernels.epilogue.Reduction;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.Comparison;
import tilewright.reference.Expected;
import tilewright.reference.GemmReference;
import tilewright.reference.TensorView;
import tilewright.sm90.Sm90Gemms;

/** A product with an epilogue, compared with the tree's reference. */
public record EpilogueCases(String kernel, String arch,
    BiFunction<GemmProblem, EpilogueArguments, PreparedLaunch> prepare, long seed) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");

  /** The Hopper GEMM with each epilogue that has a name. */
  public static List<Case> hopper(long seed) {
    var cases = new EpilogueCases("sm90_gemm", "sm90", Sm90Gemms::prepare, seed);
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 264, 72, 1, "TN").scaled(0.5f, -2);
    return Stream.concat(Arrays.stream(StandardEpilogue.values())
        .map(e -> cases.of(e.text(), problem, e.tree(problem.output()))), cases.quantized()).toList();
  }

  /** C as codes with factors of 128 columns: in part of a block, in rows that threads store, of operands they fetch. */
  private Stream<Case> quantized() {
    var rounded = StandardEpilogue.BIAS.tree(ElementType.BF16).quantize("factors");
    var plain = Epilogue.accumulator().times(Epilogue.scalar("alpha")).quantize("factors");
    return Stream.of(of("bias,quantized", codes(136, 264, 72, 1), rounded),
        of("quantized", codes(72, 133, 40, 2), plain), of("quantized", codes(40, 16, 75, 1), plain),
        of("quantized", codes(16, 130, 0, 1), plain));
  }

  private static GemmProblem codes(int m, int n, int k, int batch) {
    return GemmProblem.packed(ElementType.BF16, ElementType.E4M3, m, n, k, batch, "TN").scaled(0.5f, 0);
  }

  /** One tree on one problem. */
  public Case of(String name, GemmProblem p, Epilogue tree) {
    var given = EpilogueArguments.packed(tree, p);
    var config = "%dx%dx%d %s->%s epilogue=%s%s".formatted(p.m(), p.n(), p.k(), p.operand().text(), p.output().text(),
        name, p.batch() == 1 ? "" : " batch=" + p.batch());
    var made = new Case(kernel, arch, config, EVERYWHERE, Price.of(p), () -> prepare.apply(p, given),
        () -> buffers(p, given), (in, out, architecture) -> compare(p, given, in, out, architecture));
    boolean sums = tree.nodes(Epilogue.Reduced.class).stream().anyMatch(r -> r.reduction() == Reduction.SUM);
    return sums ? made.unordered() : made;
  }

  private Map<String, MemorySegment> buffers(GemmProblem p, EpilogueArguments given) {
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("A", Buffers.normal(p.operand(), (long) p.m() * p.k() * p.batch(), seed));
    buffers.put("B", Buffers.normal(p.operand(), (long) p.n() * p.k() * p.batch(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    addTo(buffers, given, seed);
    return buffers;
  }

  /** Adds what an epilogue reads and writes beside D. */
  static void addTo(Map<String, MemorySegment> buffers, EpilogueArguments given, long seed) {
    given.tree().inputs().forEach((name, type) -> buffers.put(name,
        Buffers.normal(type, elements(given.tensors().get(name)), seed + name.hashCode())));
    for (var stored : given.tree().nodes(Epilogue.Stored.class)) {
      buffers.put(stored.name(), Buffers.poisoned(stored.type(), elements(given.tensors().get(stored.name()))));
    }
    for (var quantized : given.tree().nodes(Epilogue.Quantized.class)) {
      long count = layout(given.tensors().get(quantized.factors())).cosize();
      buffers.put(quantized.factors(), Buffers.poisoned(ElementType.F32, count));
    }
    for (var reduced : given.tree().nodes(Epilogue.Reduced.class)) {
      long count = elements(given.tensors().get(reduced.name()));
      var view = new TensorView(ElementType.F32, Buffers.poisoned(ElementType.F32, count), Layout.of(count, 1));
      LongStream.range(0, count).forEach(i -> view.set(i, reduced.reduction().identity()));
      buffers.put(reduced.name(), view.data());
    }
  }

  private static long elements(LaunchArguments.Tensor tensor) {
    return tensor.extents().stream().reduce(1L, Math::multiplyExact);
  }

  private static Verdict compare(GemmProblem p, EpilogueArguments given, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, int architecture) {
    var product = new GemmReference(view(p.operand(), in, p.a().argument(p.m(), p.k(), p.batch())),
        view(p.operand(), in, p.b().argument(p.n(), p.k(), p.batch())), sums(p.m(), p.n(), p.batch()), 1, 0);
    var rows = product.allRows();
    return verdict(p, given, in, out, List.of(product.exact(rows)),
        List.of(product.onTensorCores(architecture, rows)));
  }

  /** The shape of sums that nothing is read of. */
  static TensorView sums(int m, int n, int batch) {
    return new TensorView(ElementType.F32, MemorySegment.ofArray(new byte[0]),
        Layout.parse("(%d,%d,%d)".formatted(m, n, batch)));
  }

  /**
   * The elements of D that are compared.
   *
   * @param entries the matrix B that made each
   */
  record Part(IntUnaryOperator entries, int[] elements) {}

  /** D and the other outputs beside what the tree makes of products, in FP64 and in the kernel's arithmetic. */
  static Verdict verdict(GemmProblem p, EpilogueArguments given, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, List<double[]> exact, List<double[]> stepwise) {
    int perEntry = p.m() * p.n();
    return verdict(p, given, in, out, exact, stepwise, new Part(element -> element / perEntry,
        IntStream.range(0, perEntry * p.batch()).toArray()));
  }

  /** A part of D and of other matrices, and all reductions and factors. */
  static Verdict verdict(GemmProblem p, EpilogueArguments given, Map<String, MemorySegment> in,
      Map<String, MemorySegment> out, List<double[]> exact, List<double[]> stepwise, Part part) {
    var tensors = new HashMap<String, double[]>();
    given.tree().inputs().forEach(
        (name, type) -> tensors.put(name, view(type, in, given.tensors().get(name)).values()));
    var reference = new EpilogueReference(given.tree(), p.m(), p.n(), p.batch(), tensors, given.scalars(),
        part.entries);
    var matrices = Stream.concat(Stream.of("C"), given.tree().nodes(Epilogue.Stored.class).stream()
        .map(Epilogue.Stored::name)).toList();
    var total = new Verdict(OptionalDouble.of(0), OptionalDouble.of(0), Optional.empty(), Optional.empty());
    for (var expected : reference.of("C", exact, stepwise)) {
      var type = given.tree().outputs().getOrDefault(expected.tensor(), p.output());
      var tensor = expected.tensor().equals("C") ? p.c().argument(p.m(), p.n(), p.batch())
          : given.tensors().get(expected.tensor());
      var ours = view(type, out, tensor).values();
      total = worse(total, expected, Comparison.of(ours, expected.exact(), expected.stepwise(), type,
          matrices.contains(expected.tensor()) ? part.elements : IntStream.range(0, ours.length).toArray()));
    }
    return total;
  }

  private static Verdict worse(Verdict total, Expected expected, Comparison next) {
    return new Verdict(OptionalDouble.of(Math.max(total.maxError().getAsDouble(), next.maxError())),
        OptionalDouble.of(Math.max(total.meanError().getAsDouble(), next.meanError())),
        expected.bitwise() ? Optional.of(next.bitExact() && total.bitExact().orElse(true)) : total.bitExact(),
        total.violation().or(() -> next.violation().map(v -> expected.tensor() + ": " + v)));
  }

  private static TensorView view(ElementType type, Map<String, MemorySegment> buffers, LaunchArguments.Tensor tensor) {
    return new TensorView(type, buffers.get(tensor.buffer()), tensor.offset(), layout(tensor));
  }

  private static Layout layout(LaunchArguments.Tensor tensor) {
    return new Layout(IntTuple.flat(numbers(tensor.extents())), IntTuple.flat(numbers(tensor.strides())));
  }

  private static long[] numbers(List<Long> values) {
    return values.stream().mapToLong(v -> v).toArray();
  }
}
