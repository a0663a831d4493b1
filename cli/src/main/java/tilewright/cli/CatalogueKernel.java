package tilewright.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Transpose;
import tilewright.kernels.VectorAdd;
import tilewright.numerics.ElementType;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;

/** The kernels that the command knows by name, and what can be set of each. */
enum CatalogueKernel {
  VECTOR_ADD("Z = X + Y, four elements an access", settings("n=1048576"),
      s -> VectorAdd.prepare(s.extent("n"))),
  TRANSPOSE("Y = Xᵀ through swizzled shared memory", settings("m=1024", "n=1024"),
      s -> Transpose.prepare(s.extent("m"), s.extent("n"))),
  NAIVE_GEMM("C = A·Bᵀ, one output element a thread", gemmSettings(), s -> Gemm.naive(problem(s, ElementType.F32, 1))),
  SM80_GEMM("C = A·Bᵀ on tensor cores: cp.async ring, ldmatrix, mma.sync", gemmSettings("out=f32", "batch=1"),
      s -> Gemm.sm80(problem(s, s.type("out", ElementType.F32, ElementType.F16, ElementType.BF16), s.extent("batch")))),
  BULK_VECTOR_ADD("Z = X + Y by Hopper's bulk copies", settings("n=1048576"),
      s -> BulkVectorAdd.prepare(s.extent("n"))),
  PACKED_VECTOR_ADD("Z = X + Y by Blackwell's packed additions", settings("n=1048576"),
      s -> PackedVectorAdd.prepare(s.extent("n")));

  private final String description;
  private final Settings defaults;
  private final Function<Settings, PreparedLaunch> prepare;

  CatalogueKernel(String description, Settings defaults, Function<Settings, PreparedLaunch> prepare) {
    this.description = description;
    this.defaults = defaults;
    this.prepare = prepare;
  }

  /**
   * @param text a kernel's name; hyphens do for underscores
   * @throws CommandFailure naming the kernels there are
   */
  static CatalogueKernel named(String text) {
    return Arrays.stream(values()).filter(k -> k.text().equals(text.replace('-', '_'))).findFirst().orElseThrow(() ->
        CommandFailure.badInput("no kernel is called " + text + "; there are " + String.join(", ", names())));
  }

  static List<String> names() {
    return Arrays.stream(values()).map(CatalogueKernel::text).toList();
  }

  /** The name on the command line, such as {@code sm80_gemm}. */
  String text() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  String description() {
    return description;
  }

  Settings defaults() {
    return defaults;
  }

  /** Traces the kernel; the defaults fill in what is not set. */
  PreparedLaunch prepare(Map<String, String> chosen) {
    return prepare.apply(defaults.with(chosen));
  }

  private static GemmProblem problem(Settings s, ElementType output, int batch) {
    return GemmProblem.packed(s.type("dtype", ElementType.F16, ElementType.BF16), output, s.extent("m"), s.extent("n"),
        s.extent("k"), batch, s.choice("order", "TN", "TT", "NN", "NT"));
  }

  private static Settings gemmSettings(String... more) {
    var all = new java.util.ArrayList<>(List.of("dtype=bf16", "m=1024", "n=1024", "k=1024", "order=TN"));
    all.addAll(List.of(more));
    return settings(all.toArray(String[]::new));
  }

  private static Settings settings(String... pairs) {
    var values = new LinkedHashMap<String, String>();
    for (var pair : pairs) values.put(pair.split("=")[0], pair.split("=")[1]);
    return new Settings(values);
  }
}
