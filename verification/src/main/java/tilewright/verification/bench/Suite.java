package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Transpose;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Family;
import tilewright.kernels.catalogue.Operand;
import tilewright.kernels.catalogue.Setting;
import tilewright.numerics.ElementType;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;
import tilewright.sm90.Grouping;
import tilewright.sm90.HopperGemm;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.attention.HopperAttention;
import tilewright.sm90.ladder.LadderStep;
import tilewright.sm90.rows.HopperFamilies;

/** The kernels that can be measured, each on its problems, by name. */
final class Suite {
  private static final int ADDED = 1 << 28;
  private static final int TRANSPOSED = 16384;

  private static final List<String> ORDERS = List.of("TN", "NN", "TT", "NT");
  private static final List<String> GEMMS = List.of("sm80_gemm", "sm90_gemm", "sm90_scaled_gemm",
      "sm90_grouped_gemm", "sm90_mixed_gemm", "sm90_ladder");
  private static final List<String> GEMM_SETTINGS = List.of("order", "m", "n", "k", "shape", "dtype", "dtypeb", "out",
      "accumulation", "step", "epilogue", "grouping", "weights");

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
    kernels.put("sm80_gemm", () -> gemms("sm80_gemm", "sm80", List.of(GemmTypes.of(ElementType.BF16, ElementType.F32),
        GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F16),
        GemmTypes.of(ElementType.F16, ElementType.F32)),
        p -> List.of(new Traced(Gemm.configure(p), () -> Gemm.sm80(p)))));
    kernels.put("sm90_gemm", () -> options.settings().containsKey("epilogue") ? epilogues()
        : gemms("sm90_gemm", "sm90", hopperTypes(),
            p -> configurations(p).map(c -> new Traced(c, () -> HopperGemm.prepare(p, c))).toList()));
    kernels.put("sm90_scaled_gemm", () -> gemms("sm90_scaled_gemm", "sm90", List.of(new GemmTypes(ElementType.E4M3,
        ElementType.E4M3, ElementType.BF16, Accumulation.SCALED)),
        p -> configurations(p).map(c -> new Traced(c, () -> ScaledGemm.packed(p).prepare(c))).toList()));
    kernels.put("sm90_mixed_gemm", () -> gemms("sm90_mixed_gemm", "sm90", mixedTypes(),
        p -> List.of(new Traced(MixedGemm.packed(p).configure(), () -> MixedGemm.packed(p).prepare()))));
    kernels.put("sm90_grouped_gemm", this::grouped);
    kernels.put("sm90_ladder", this::ladder);
    var attention = new AttentionSuite(options.settings());
    kernels.put("sm80_attention", () -> attention.of(new Sm80AttentionKernel()));
    kernels.put("sm90_attention", () -> attention.of(new HopperAttention()));
    HopperFamilies.all().forEach(family -> kernels.put(family.name(), () -> problems(family)));
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
    var families = chosen().stream().flatMap(name -> HopperFamilies.named(name).stream()).toList();
    for (var name : options.settings().keySet()) {
      boolean known = families.stream().anyMatch(f -> f.defaults().values().containsKey(name))
          || GEMM_SETTINGS.contains(name) && chosen().stream().anyMatch(GEMMS::contains)
          || AttentionSuite.SETTINGS.contains(name) && chosen().stream().anyMatch(AttentionSuite.KERNELS::contains);
      if (!known) {
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
    var tunings = family.settings().stream().filter(s -> s.kind() == Setting.Kind.TUNING).map(Setting::name).toList();
    return family.variants().stream().filter(variant -> options.everyVariant() || isPlain(family, variant))
        .flatMap(variant -> family.measured().stream().map(extents -> family.sized(variant, extents)))
        .filter(choice -> options.settings().keySet().stream().allMatch(name -> tunings.contains(name)
            || !choice.values().containsKey(name) || wanted(name).contains(choice.text(name))))
        .flatMap(choice -> tuned(choice, tunings).stream())
        .map(choice -> (Supplier<Measured>) () -> measured(family, choice)).toList();
  }

  /** The choice with every combination of the tunings' values. */
  private List<Choice> tuned(Choice choice, List<String> tunings) {
    var all = List.of(choice);
    for (var name : tunings) {
      if (!options.settings().containsKey(name)) continue;
      all = all.stream().flatMap(c -> wanted(name).stream().map(value -> c.with(Map.of(name, value)))).toList();
    }
    return all;
  }

  /** The values of a setting that the options name, with commas between. */
  private List<String> wanted(String name) {
    return List.of(options.settings().get(name).split(","));
  }

  /** Whether a variant has the default of every option but the element type, or what the user has chosen. */
  private boolean isPlain(Family family, Choice variant) {
    return family.settings().stream().filter(s -> s.option() && !s.name().equals("dtype"))
        .allMatch(s -> options.settings().containsKey(s.name())
            || s.values().getFirst().equals(variant.values().get(s.name())));
  }

  private static Measured measured(Family family, Choice choice) {
    family.requireSupported(choice);
    var workload = family.workload(choice);
    var arch = family.target(choice).architecture().replaceAll("_|[af]$", "");
    var tensors = workload.operands().stream().filter(o -> o.role() != Operand.Role.SCRATCH)
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

  private List<Supplier<Measured>> grouped() {
    var groupings = Stream.of(options.settings().getOrDefault("grouping", "contiguous").split(","))
        .map(text -> switch (text) {
          case "contiguous" -> Grouping.CONTIGUOUS;
          case "masked" -> Grouping.MASKED;
          default -> throw new IllegalArgumentException("invalid grouping " + text + ": contiguous or masked");
        }).toList();
    return hopperTypes().stream().flatMap(types -> groupings.stream().map(grouping -> (Supplier<Measured>) () ->
        GroupedProblem.measured(types, grouping, extent("m"), extent("n"), extent("k")))).toList();
  }

  private Stream<Sm90GemmConfig> configurations(GemmProblem problem) {
    if (options.settings().containsKey("weights")) {
      if (wanted("weights").equals(List.of("ahead"))) return Stream.of(HopperGemm.configureWeightsAhead(problem));
      throw new IllegalArgumentException("invalid weights " + options.settings().get("weights") + ": ahead, if they"
          + " are to be read before the previous kernel has ended");
    }
    return options.everyVariant() ? HopperGemm.configurations(problem) : Stream.of(HopperGemm.configure(problem));
  }

  /** A configuration of a kernel for some problem. */
  private record Traced(Object configuration, Supplier<PreparedLaunch> launch) {}

  /** What the settings say, of which types and accumulations may be several; only 8-bit floats have both of these. */
  private List<GemmTypes> hopperTypes() {
    var all = new ArrayList<GemmTypes>();
    for (var a : types("dtype", ElementType.BF16)) {
      for (var text : options.settings().getOrDefault("accumulation", "fast").split(",")) {
        var types = new GemmTypes(a, type("dtypeb", a), type("out", GemmTypes.usualOutput(a)),
            Accumulation.named(text));
        if (types.isPromoted() || types.accumulation() == Accumulation.FAST) all.add(types);
      }
    }
    return all;
  }

  /** Narrow weights, of which there may be several types, beside 16-bit activations. */
  private List<GemmTypes> mixedTypes() {
    var activations = type("dtypeb", ElementType.BF16);
    return types("dtype", ElementType.E4M3).stream()
        .map(a -> new GemmTypes(a, activations, activations, Accumulation.SCALED)).toList();
  }

  private List<ElementType> types(String setting, ElementType otherwise) {
    var named = options.settings().getOrDefault(setting, otherwise.text());
    return Stream.of(named.split(",")).map(Suite::type).toList();
  }

  private static ElementType type(String text) {
    return ElementType.parse(text).orElseThrow(() -> new IllegalArgumentException("no type is called " + text));
  }

  private ElementType type(String setting, ElementType otherwise) {
    return Optional.ofNullable(options.settings().get(setting)).map(Suite::type).orElse(otherwise);
  }

  /** In every operand order that there is; what is not 16 bits wide must lie along k. */
  private List<Supplier<Measured>> gemms(String kernel, String arch, List<GemmTypes> forms,
      Function<GemmProblem, List<Traced>> configurations) {
    var all = new ArrayList<Supplier<Measured>>();
    for (var types : forms) {
      for (var order : types.a().bits() == 16 ? ORDERS : ORDERS.subList(0, 1)) {
        if (!options.settings().getOrDefault("order", order).equals(order)) continue;
        for (var shape : shapes()) {
          var problem = GemmProblem.packed(types, shape.get(0), shape.get(1), shape.get(2), 1, order);
          configurations.apply(problem).forEach(c -> all.add(() -> gemm(kernel, arch, problem, order, c)));
        }
      }
    }
    return all;
  }

  /** M, N and K of each problem: a list such as {@code 16x4096x4096,2048x2048x2048}, or the one of m, n and k. */
  private List<List<Integer>> shapes() {
    if (!options.settings().containsKey("shape")) return List.of(List.of(extent("m"), extent("n"), extent("k")));
    return wanted("shape").stream().map(Suite::shape).toList();
  }

  private static List<Integer> shape(String text) {
    if (!text.matches("[1-9]\\d{0,8}(x[1-9]\\d{0,8}){2}")) {
      throw new IllegalArgumentException("invalid shape " + text + ": needed is MxNxK, such as 16x4096x4096");
    }
    return Stream.of(text.split("x")).map(Integer::valueOf).toList();
  }

  private List<Supplier<Measured>> epilogues() {
    return wanted("epilogue").stream().<Supplier<Measured>>map(name -> () ->
        EpilogueProblems.measured(name, extent("m"), extent("n"), extent("k"))).toList();
  }

  /** Every step, or those that the settings name, of each shape. */
  private List<Supplier<Measured>> ladder() {
    var steps = Arrays.stream(LadderStep.values())
        .filter(s -> !options.settings().containsKey("step") || wanted("step").contains("" + s.number())).toList();
    return shapes().stream().flatMap(shape -> steps.stream().<Supplier<Measured>>map(step -> () -> {
      var p = step.problem(shape.get(0), shape.get(1), shape.get(2));
      return gemm("sm90_ladder", "sm90", p, "TN", new Traced("step " + step.number() + ": " + step.idea(),
          () -> step.prepare(p)));
    })).toList();
  }

  /** What the settings say, or the size that all extents have. */
  private int extent(String name) {
    var chosen = options.settings().get(name);
    if (chosen == null) return options.size();
    return measurable(name, chosen);
  }

  /** @throws IllegalArgumentException unless a setting has a number from 1 on: what has no extent has no rate */
  static int measurable(String name, String value) {
    int number = new Choice(Map.of(name, value)).number(name);
    if (number > 0) return number;
    throw new IllegalArgumentException("invalid " + name + "=0: there is nothing to measure, needed is 1 at least");
  }

  /** The Hopper GEMM in a tile, without peers. */
  static Measured gemm(GemmProblem problem, String tile, PreparedLaunch launch) {
    return gemm("sm90_gemm", "sm90", problem, "TN", new Traced(tile, () -> launch));
  }

  private static Measured gemm(String kernel, String arch, GemmProblem p, String order, Traced traced) {
    long weights = (long) p.m() * p.k();
    // Two integers of 4 bits are measured as a byte of any value.
    var a = p.types().a() == ElementType.I4 ? Measured.Tensor.input("A", ElementType.I8, weights / 2)
        : Measured.Tensor.input("A", p.types().a(), weights);
    var tensors = new ArrayList<>(List.of(a,
        Measured.Tensor.input("B", p.types().b(), (long) p.n() * p.k()),
        Measured.Tensor.output("C", p.output(), (long) p.m() * p.n())));
    if (p.types().accumulation() == Accumulation.SCALED) {
      if (p.types().isMixed()) {
        tensors.add(Measured.Tensor.input("SA", ElementType.F32, (long) p.m() * ScaledGemm.blocks(p.k())));
      } else {
        var gemm = ScaledGemm.packed(p);
        tensors.add(Measured.Tensor.input("SA", ElementType.F32, gemm.scalesA().batchStride()));
        tensors.add(Measured.Tensor.input("SB", ElementType.F32, gemm.scalesB().batchStride()));
      }
    }
    long bytes = tensors.stream().mapToLong(Measured.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "gemm", "m", p.m(), "n", p.n(), "k", p.k(), "dtype",
        p.types().multiplied().text(), "dtypeB", p.types().b().text(), "out", p.output().text(),
        "accumulation", p.types().accumulation().text(), "transA", order.charAt(0) == 'N',
        "transB", order.charAt(1) == 'N');
    return new Measured(kernel, arch, p.m() + "x" + p.n() + "x" + p.k() + " " + traced.configuration,
        traced.launch.get(), tensors, bytes, 2.0 * p.m() * p.n() * p.k(), peer);
  }

  private static Map<String, Object> catalogue(String op, Map<String, String> settings) {
    return Map.of("op", op, "settings", settings);
  }
}
