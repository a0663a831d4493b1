package tilewright.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Transpose;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Family;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm100.attention.BlackwellAttention;
import tilewright.sm90.BulkVectorAdd;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.HopperGemm;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.attention.HopperAttention;
import tilewright.sm90.ladder.LadderStep;
import tilewright.sm90.rows.HopperFamilies;

/**
 * A kernel that the command knows by name, and what can be set of it.
 *
 * @param text the name on the command line, such as {@code sm80_gemm}
 * @param arch the architecture that it needs, such as {@code sm_80}
 * @param variants how many kernels there are under the name, counting every combination of options
 */
record CatalogueKernel(String text, String arch, String description, Settings defaults, int variants,
    Function<Settings, PreparedLaunch> prepare) {
  static final CatalogueKernel VECTOR_ADD = single("vector_add", "sm_80", "Z = X + Y, four elements an access",
      settings("n=1048576"), s -> VectorAdd.prepare(s.extent("n")));
  static final CatalogueKernel TRANSPOSE = single("transpose", "sm_80", "Y = Xᵀ through swizzled shared memory",
      settings("m=1024", "n=1024"), s -> Transpose.prepare(s.extent("m"), s.extent("n")));
  static final CatalogueKernel NAIVE_GEMM = single("naive_gemm", "sm_80", "C = A·Bᵀ, one output element a thread",
      gemmSettings(), s -> Gemm.naive(problem(s, s.type("dtype", ElementType.F16, ElementType.BF16,
          ElementType.F32), ElementType.F32, 1)));
  static final CatalogueKernel SM80_GEMM = single("sm80_gemm", "sm_80",
      "C = A·Bᵀ on tensor cores: cp.async ring, ldmatrix, mma.sync", gemmSettings("out=f32", "batch=1"),
      CatalogueKernel::tensorCoreGemm);
  static final CatalogueKernel SM90_GEMM = single("sm90_gemm", "sm_90a",
      "C = A·Bᵀ on Hopper's tensor cores: TMA ring, wgmma, warp roles",
      gemmSettings("dtypeb=same", "out=auto", "accumulation=fast", "batch=1", "tile=auto", "epilogue=plain",
          "alpha=1", "beta=0", "weights=behind"),
      CatalogueKernel::hopperGemm);
  static final CatalogueKernel SM90_MIXED_GEMM = single("sm90_mixed_gemm", "sm_90a",
      "C = A·Bᵀ of 8- or 4-bit weights A, scaled for 1×128 and converted in registers, and 16-bit activations B",
      settings("dtype=e4m3", "dtypeb=bf16", "m=1024", "n=1024", "k=1024"), CatalogueKernel::mixedGemm);
  static final CatalogueKernel SM90_LADDER = single("sm90_ladder", "sm_90a",
      "C = A·Bᵀ of bf16, one of ten steps from naive to sm90_gemm",
      settings("step=10", "m=1024", "n=1024", "k=1024"), s -> {
        var step = LadderStep.of(s.extent("step"));
        return step.prepare(step.problem(s.extent("m"), s.extent("n"), s.extent("k")));
      });
  static final CatalogueKernel SM90_SCALED_GEMM = single("sm90_scaled_gemm", "sm_90a",
      "C = A·Bᵀ of 8-bit floats with a scale for 1×128 of A and 128×128 of B",
      settings("dtype=e4m3", "m=1024", "n=1024", "k=1024", "out=bf16", "tile=auto"), CatalogueKernel::scaledGemm);
  static final CatalogueKernel SM90_GROUPED_GEMM = single("sm90_grouped_gemm", "sm_90a",
      "C = A·Bᵀ for groups of A's rows, each with a B of its own: contiguous, or masked with m rows at most",
      settings("dtype=bf16", "m=1024", "n=1024", "k=1024", "out=bf16", "groups=4", "grouping=contiguous"),
      CatalogueKernel::groupedGemm);
  static final CatalogueKernel SM100_GEMM = single("sm100_gemm", "sm_100a",
      "C = A·Bᵀ on Blackwell's tensor cores: TMA ring, tcgen05 into Tensor Memory, pairs of SMs",
      gemmSettings("dtypeb=same", "out=auto", "batch=1", "rung=auto", "epilogue=plain", "alpha=1", "beta=0"),
      CatalogueKernel::blackwellGemm);
  static final CatalogueKernel SM100_NARROW_GEMM = single("sm100_narrow_gemm", "sm_100a",
      "C = A·Bᵀ of floats of four to eight bits, with scales in blocks: mxf8, mxf6, mxf4, nvf4, or without",
      settings("kind=mxf8f6f4", "dtype=auto", "dtypeb=auto", "m=1024", "n=1024", "k=1024", "order=TN", "out=bf16",
          "batch=1", "alpha=1"), BlackwellKernels::narrowGemm);
  static final CatalogueKernel SM100_QUANTIZE = single("sm100_quantize", "sm_100a",
      "Rows of f32, bf16 or f16 as elements and scales of sm100_narrow_gemm",
      settings("format=mxf8", "dtype=bf16", "m=1024", "k=1024", "scales=ocp"), BlackwellKernels::quantizer);
  static final CatalogueKernel SM80_ATTENTION = attention("sm_80", "FlashAttention-2", new Sm80AttentionKernel());
  static final CatalogueKernel SM90_ATTENTION = attention("sm_90a", "FlashAttention-3", new HopperAttention());
  static final CatalogueKernel SM100_ATTENTION = attention("sm_100a", "FlashAttention-4", new BlackwellAttention());
  static final CatalogueKernel BULK_VECTOR_ADD = single("bulk_vector_add", "sm_90a",
      "Z = X + Y by Hopper's bulk copies", settings("n=1048576"), s -> BulkVectorAdd.prepare(s.extent("n")));
  static final CatalogueKernel PACKED_VECTOR_ADD = single("packed_vector_add", "sm_100a",
      "Z = X + Y by Blackwell's packed additions", settings("n=1048576"), s -> PackedVectorAdd.prepare(s.extent("n")));

  /** All of them: those that are no family first. */
  static List<CatalogueKernel> all() {
    var single = Stream.of(VECTOR_ADD, TRANSPOSE, NAIVE_GEMM, SM80_GEMM, SM90_GEMM, SM90_SCALED_GEMM,
        SM90_GROUPED_GEMM, SM90_MIXED_GEMM, SM90_LADDER, SM100_GEMM, SM100_NARROW_GEMM, SM100_QUANTIZE,
        SM80_ATTENTION, SM90_ATTENTION, SM100_ATTENTION, BULK_VECTOR_ADD, PACKED_VECTOR_ADD);
    return Stream.concat(single, HopperFamilies.all().stream().map(CatalogueKernel::of)).toList();
  }

  /**
   * @param text a kernel's name; hyphens do for underscores
   * @throws CommandFailure naming the kernel that is probably meant
   */
  static CatalogueKernel named(String text) {
    return all().stream().filter(k -> k.text().equals(text.replace('-', '_'))).findFirst().orElseThrow(() ->
        CommandFailure.badInput("no kernel is called " + text
            + NearestName.hint(text, names(), "; \"tilewright kernels\" lists them")));
  }

  static List<String> names() {
    return all().stream().map(CatalogueKernel::text).toList();
  }

  /** Traces the kernel; the defaults fill in what is not set. */
  PreparedLaunch prepare(Map<String, String> chosen) {
    return prepare.apply(defaults.with(chosen));
  }

  private static CatalogueKernel attention(String arch, String algorithm, AttentionKernel kernel) {
    return single(kernel.name(), arch,
        "O = softmax(Q·Kᵀ/√D)·V on tensor cores: " + algorithm + "; (batch, sequence, heads, dim)",
        settings("dtype=bf16", "batch=1", "queries=1024", "keys=1024", "heads=16", "keyheads=16", "dim=128",
            "causal=no"), s -> attention(s).prepare(List.of(kernel)));
  }

  private static Attention attention(Settings s) {
    int dim = s.extent("dim");
    var sizes = new AttentionProblem.Sizes(s.extent("batch"), s.extent("queries"), s.extent("keys"), s.extent("heads"),
        s.extent("keyheads"), dim, dim);
    var attention = Attention.forward(s.type("dtype", ElementType.F16, ElementType.BF16), sizes);
    return s.choice("causal", "no", "yes").equals("yes") ? attention.causal() : attention;
  }

  private static CatalogueKernel of(Family family) {
    return new CatalogueKernel(family.name(), family.target(family.defaults()).architecture(), family.formula(),
        new Settings(family.defaults().values()), family.variants().size(), s -> {
          var choice = new Choice(s.values());
          family.requireSupported(choice);
          return family.workload(choice).launch();
        });
  }

  private static CatalogueKernel single(String text, String arch, String description, Settings defaults,
      Function<Settings, PreparedLaunch> prepare) {
    return new CatalogueKernel(text, arch, description, defaults, 1, prepare);
  }

  private static PreparedLaunch tensorCoreGemm(Settings s) {
    var p = problem(s, s.type("dtype", ElementType.F16, ElementType.BF16),
        s.type("out", ElementType.F32, ElementType.F16, ElementType.BF16), s.extent("batch"));
    return Gemm.sm80(p, Gemm.configureForAnyStrides(p));
  }

  private static PreparedLaunch hopperGemm(Settings s) {
    var problem = GemmProblem.packed(hopperTypes(s), s.extent("m"), s.extent("n"), s.extent("k"), s.extent("batch"),
        s.choice("order", "TN", "TT", "NN", "NT")).scaled(s.number("alpha"), s.number("beta"));
    var epilogue = epilogue(s, problem);
    var tile = s.choice("tile", Stream.concat(Stream.of("auto"), HopperGemm.tiles().stream()).toArray(String[]::new));
    if (s.choice("weights", "behind", "ahead").equals("ahead")) {
      if (!tile.equals("auto")) throw new IllegalArgumentException("weights ahead have a tile of their own: leave it");
      return HopperGemm.prepare(problem, HopperGemm.configureWeightsAhead(problem), epilogue);
    }
    return tile.equals("auto") ? HopperGemm.prepare(problem, epilogue)
        : HopperGemm.prepare(problem, HopperGemm.configure(problem, tile), epilogue);
  }

  private static EpilogueArguments epilogue(Settings s, GemmProblem problem) {
    var chosen = StandardEpilogue.parse(s.values().get("epilogue"));
    if (chosen == StandardEpilogue.PLAIN) return EpilogueArguments.plain(problem);
    var tree = chosen.tree(problem.output());
    if (problem.beta() != 0 && !tree.nodes(Epilogue.Scalar.class).contains(new Epilogue.Scalar("beta"))) {
      throw new IllegalArgumentException("epilogue " + chosen.text() + " has no beta: leave it at 0");
    }
    return EpilogueArguments.packed(tree, problem);
  }

  private static PreparedLaunch scaledGemm(Settings s) {
    var operand = s.type("dtype", ElementType.E4M3, ElementType.E5M2);
    var output = s.type("out", ElementType.BF16, ElementType.F16, ElementType.F32);
    var gemm = ScaledGemm.packed(GemmProblem.packed(new GemmTypes(operand, operand, output, Accumulation.SCALED),
        s.extent("m"), s.extent("n"), s.extent("k"), 1, "TN"));
    var tile = s.choice("tile", Stream.concat(Stream.of("auto"), HopperGemm.tiles().stream()).toArray(String[]::new));
    return tile.equals("auto") ? gemm.prepare() : gemm.prepare(HopperGemm.configure(gemm.problem(), tile));
  }

  private static PreparedLaunch mixedGemm(Settings s) {
    var activations = s.type("dtypeb", ElementType.BF16, ElementType.F16);
    var weights = s.type("dtype", ElementType.E4M3, ElementType.E5M2, ElementType.I4);
    var types = new GemmTypes(weights, activations, activations, Accumulation.SCALED);
    return MixedGemm.packed(GemmProblem.packed(types, s.extent("m"), s.extent("n"), s.extent("k"), 1, "TN")).prepare();
  }

  private static PreparedLaunch groupedGemm(Settings s) {
    var operand = s.type("dtype", ElementType.BF16, ElementType.F16, ElementType.E4M3, ElementType.E5M2);
    var output = s.type("out", ElementType.BF16, ElementType.F16, ElementType.F32);
    boolean contiguous = s.choice("grouping", "contiguous", "masked").equals("contiguous");
    int groups = s.extent("groups");
    var problem = GemmProblem.packed(GemmTypes.of(operand, output), s.extent("m"), s.extent("n"), s.extent("k"),
        contiguous ? 1 : groups, "TN");
    return new GroupedGemm(problem, contiguous ? Grouping.CONTIGUOUS : Grouping.MASKED, groups).prepare();
  }

  private static PreparedLaunch blackwellGemm(Settings s) {
    var problem = GemmProblem.packed(types(s, Accumulation.FAST), s.extent("m"), s.extent("n"), s.extent("k"),
        s.extent("batch"), s.choice("order", "TN", "TT", "NN", "NT")).scaled(s.number("alpha"), s.number("beta"));
    return BlackwellKernels.gemm(s, problem, epilogue(s, problem));
  }

  private static GemmTypes hopperTypes(Settings s) {
    return types(s, Accumulation.named(s.choice("accumulation", Accumulation.FAST.text(), Accumulation.EXACT.text())));
  }

  private static GemmTypes types(Settings s, Accumulation accumulation) {
    var operands = List.of(ElementType.BF16, ElementType.F16, ElementType.TF32, ElementType.E4M3, ElementType.E5M2,
        ElementType.I8).toArray(ElementType[]::new);
    var a = s.type("dtype", operands);
    var b = s.values().get("dtypeb").equals("same") ? a : s.type("dtypeb", operands);
    var output = s.values().get("out").equals("auto") ? GemmTypes.usualOutput(a)
        : s.type("out", ElementType.BF16, ElementType.F16, ElementType.F32, ElementType.I32);
    return new GemmTypes(a, b, output, accumulation);
  }

  private static GemmProblem problem(Settings s, ElementType operand, ElementType output, int batch) {
    return GemmProblem.packed(operand, output, s.extent("m"), s.extent("n"), s.extent("k"), batch,
        s.choice("order", "TN", "TT", "NN", "NT"));
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
