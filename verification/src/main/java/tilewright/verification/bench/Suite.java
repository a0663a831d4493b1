package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Transpose;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.catalogue.Family;
import tilewright.kernels.catalogue.Operand;
import tilewright.numerics.ElementType;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;

/** The kernels that can be measured, each on its problems, by name. */
final class Suite {
  private static final int ADDED = 1 << 28;
  private static final int TRANSPOSED = 16384;

  private final Benchmark.Options options;
  private final Map<String, Supplier<List<Supplier<Measured>>>> kernels = new LinkedHashMap<>();

  Suite(Benchmark.Options options) {
    this.options = options;
    kernels.put("vector_add", () -> List.of(() -> addition("vector_add", "sm80", VectorAdd.prepare(ADDED))));
    kernels.put("bulk_vector_add",
        () -> List.of(() -> addition("bulk_vector_add", "sm90", BulkVectorAdd.prepare(ADDED))));
    kernels.put("packed_vector_add",
        () -> List.of(() -> addition("packed_vector_add", "sm100", PackedVectorAdd.prepare(ADDED))));
    kernels.put("transpose", () -> List.of(Suite::transposition));
    kernels.put("sm80_gemm", this::gemms);
    Families.all().forEach(family -> kernels.put(family.name(), () -> problems(family)));
  }

  /** All names, in order. */
  List<String> names() {
    return List.copyOf(kernels.keySet());
  }

  /** The problems of one kernel; each is traced when it is asked for. */
  List<Supplier<Measured>> of(String name) {
    return kernels.get(name).get();
  }

  /** @throws IllegalArgumentException when no chosen kernel has a setting, or the settings leave nothing to measure */
  void requireProblems() {
    var families = chosen().stream().flatMap(name -> Families.named(name).stream()).toList();
    for (var name : options.settings().keySet()) {
      if (families.stream().noneMatch(f -> f.defaults().values().containsKey(name))) {
        throw new IllegalArgumentException("none of these kernels has a setting " + name);
      }
    }
    if (chosen().stream().allMatch(name -> of(name).isEmpty())) {
      throw new IllegalArgumentException("no variant of these kernels has the settings " + options.settings());
    }
  }

  /** The kernels that the options name, or all. */
  List<String> chosen() {
    return options.kernels().isEmpty() ? names() : options.kernels();
  }

  private List<Supplier<Measured>> problems(Family family) {
    return family.variants().stream().filter(variant -> options.everyVariant() || isPlain(family, variant))
        .flatMap(variant -> family.measured().stream().map(extents -> family.sized(variant, extents)))
        .filter(choice -> options.settings().entrySet().stream()
            .allMatch(wanted -> wanted.getValue().equals(choice.values().getOrDefault(wanted.getKey(),
                wanted.getValue()))))
        .map(choice -> (Supplier<Measured>) () -> measured(family, choice)).toList();
  }

  /** Whether a variant has the default of every option but the element type, or what the user has chosen. */
  private boolean isPlain(Family family, Choice variant) {
    return family.settings().stream().filter(s -> !s.extent() && !s.name().equals("dtype"))
        .allMatch(s -> options.settings().containsKey(s.name())
            || s.values().getFirst().equals(variant.values().get(s.name())));
  }

  private static Measured measured(Family family, Choice choice) {
    var workload = family.workload(choice);
    var arch = family.target(choice).architecture().replaceAll("_|[af]$", "");
    var tensors = workload.operands().stream()
        .map(o -> new Measured.Tensor(o.name(), o.type(), o.elements(), content(o.fill()))).toList();
    return new Measured(family.name(), arch, choice.toString(), workload.launch(), tensors, workload.bytes(),
        workload.operations(), catalogue(family.name(), choice.values()));
  }

  private static Measured.Content content(Operand.Fill fill) {
    return switch (fill) {
      case Operand.Fill.Normal(double deviation) -> new Measured.Content.Normal(deviation);
      case Operand.Fill.Indices(long bound) -> new Measured.Content.Indices(bound);
      case Operand.Fill.Zeros _ -> new Measured.Content.Zeros();
      case Operand.Fill.Poison _ -> new Measured.Content.Undefined();
    };
  }

  private static Measured addition(String name, String arch, PreparedLaunch launch) {
    var tensors = new ArrayList<Measured.Tensor>();
    for (var x : List.of("X", "Y")) tensors.add(Measured.Tensor.input(x, ElementType.F32, ADDED));
    tensors.add(Measured.Tensor.output("Z", ElementType.F32, ADDED));
    return new Measured(name, arch, "n=" + ADDED, launch, tensors, 12L * ADDED, 0,
        catalogue("vector_add", Map.of("n", "" + ADDED)));
  }

  private static Measured transposition() {
    long elements = (long) TRANSPOSED * TRANSPOSED;
    return new Measured("transpose", "sm80", "m=" + TRANSPOSED + " n=" + TRANSPOSED,
        Transpose.prepare(TRANSPOSED, TRANSPOSED), List.of(Measured.Tensor.input("X", ElementType.F32, elements),
            Measured.Tensor.output("Y", ElementType.F32, elements)), 8 * elements, 0,
        catalogue("transpose", Map.of("m", "" + TRANSPOSED, "n", "" + TRANSPOSED)));
  }

  /** In every operand order, of bf16, into f32 and bf16. */
  private List<Supplier<Measured>> gemms() {
    var all = new ArrayList<Supplier<Measured>>();
    for (var output : List.of(ElementType.F32, ElementType.BF16)) {
      for (var order : List.of("TN", "NN", "TT", "NT")) all.add(() -> gemm(output, order));
    }
    return all;
  }

  private Measured gemm(ElementType output, String order) {
    int size = options.size();
    long elements = (long) size * size;
    var problem = GemmProblem.packed(ElementType.BF16, output, size, size, size, 1, order);
    var tensors = List.of(Measured.Tensor.input("A", ElementType.BF16, elements),
        Measured.Tensor.input("B", ElementType.BF16, elements), Measured.Tensor.output("C", output, elements));
    Map<String, Object> peer = Map.of("op", "gemm", "m", size, "n", size, "k", size, "dtype", "bf16", "transA",
        order.charAt(0) == 'N', "transB", order.charAt(1) == 'N');
    return new Measured("sm80_gemm", "sm80", size + "x" + size + "x" + size + " " + Gemm.configure(problem),
        Gemm.sm80(problem), tensors, elements * (4 + output.bytes()), 2.0 * size * size * size, peer);
  }

  private static Map<String, Object> catalogue(String op, Map<String, String> settings) {
    return Map.of("op", op, "settings", settings);
  }
}
