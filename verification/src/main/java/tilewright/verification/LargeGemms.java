package tilewright.verification;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm90.DualGemm;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;

/**
 * GEMMs of usual size in every type, order and tile, and with every epilogue. No case runs them, as their references
 * would take minutes.
 */
final class LargeGemms {
  private static final int SIZE = 4096;
  private static final int GROUPS = 4;
  private static final List<String> ORDERS = List.of("TN", "NN", "TT", "NT");
  private static final List<Integer> FEW_ROWS = List.of(1, 16, 64);

  private LargeGemms() {}

  static Stream<KernelConfiguration> all() {
    return Stream.of(hopperTiles(), hopperEpilogues(), fetched(), Stream.of(paced()), weightsAhead(), grouped(),
        dual(), mixed(), blackwellRungs(), blackwellEpilogues(), narrow(), quantizers()).flatMap(part -> part);
  }

  private static KernelConfiguration configuration(String kernel, String config, Supplier<PreparedLaunch> launch) {
    return new KernelConfiguration(kernel, "large " + config, () -> List.of(launch.get()));
  }

  private static GemmProblem problem(GemmTypes types, String order) {
    return GemmProblem.packed(types, SIZE, SIZE, SIZE, 1, order);
  }

  private static GemmProblem ofBf16() {
    return problem(GemmTypes.of(ElementType.BF16, ElementType.BF16), "TN");
  }

  private static Stream<GemmTypes> types() {
    return Stream.of(GemmTypes.of(ElementType.BF16, ElementType.BF16), GemmTypes.of(ElementType.F16, ElementType.F16),
        GemmTypes.of(ElementType.BF16, ElementType.F32), GemmTypes.of(ElementType.TF32, ElementType.F32),
        GemmTypes.of(ElementType.I8, ElementType.I32), GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        GemmTypes.of(ElementType.E5M2, ElementType.BF16));
  }

  /** The orders that copies bring elements of a type in. */
  private static List<String> orders(GemmTypes types) {
    return types.a().bits() == 16 ? ORDERS : ORDERS.subList(0, 1);
  }

  private static Stream<KernelConfiguration> hopperTiles() {
    var promoted = Stream.of(new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT),
        new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED));
    return Stream.concat(types(), promoted).flatMap(types -> orders(types).stream().flatMap(order -> {
      var problem = problem(types, order);
      return Sm90Gemms.tiles(problem).stream().map(tile -> inTile(problem, order, tile));
    }));
  }

  private static KernelConfiguration inTile(GemmProblem problem, String order, String tile) {
    var types = problem.types();
    var config = order + " " + types + " tile=" + tile;
    if (types.accumulation() == Accumulation.SCALED) {
      return configuration("sm90_scaled_gemm", config,
          () -> ScaledGemm.packed(problem).prepare(Sm90Gemms.configure(problem, tile)));
    }
    return configuration("sm90_gemm", config, () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile)));
  }

  /** Each epilogue in the chosen tile, and in every tile one that stores and one that reads a second matrix. */
  private static Stream<KernelConfiguration> hopperEpilogues() {
    var problem = ofBf16().scaled(1, 2);
    var chosen = Stream.of(StandardEpilogue.values()).map(epilogue -> configuration("sm90_gemm",
        "epilogue=" + epilogue.text(), () -> Sm90Gemms.prepare(problem, arguments(epilogue, problem))));
    var tiled = Stream.of(StandardEpilogue.BIAS_GELU_AUX, StandardEpilogue.BETA).flatMap(epilogue ->
        Sm90Gemms.tiles(problem).stream().map(tile -> configuration("sm90_gemm", "epilogue=" + epilogue.text()
            + " tile=" + tile, () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile),
                arguments(epilogue, problem)))));
    return Stream.concat(chosen, tiled);
  }

  private static EpilogueArguments arguments(StandardEpilogue epilogue, GemmProblem problem) {
    return EpilogueArguments.packed(epilogue.tree(problem.output()), problem);
  }

  /** Rows that no tensor copy reaches, of operands and of C. */
  private static Stream<KernelConfiguration> fetched() {
    return types().flatMap(types -> ORDERS.stream().flatMap(order -> Stream.of(
        configuration("sm90_gemm", order + " " + types + " k=4099", () -> Sm90Gemms.prepare(
            GemmProblem.packed(types, SIZE, SIZE, SIZE + 3, 1, order))),
        configuration("sm90_gemm", order + " " + types + " n=4099", () -> Sm90Gemms.prepare(
            GemmProblem.packed(types, SIZE, SIZE + 3, SIZE, 1, order))))));
  }

  /** CTAs that wait for each other before each tile. */
  private static KernelConfiguration paced() {
    var problem = ofBf16();
    return configuration("sm90_gemm", "paced",
        () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem).with(Variant.Order.WAVE_SYNCHRONISED)));
  }

  private static Stream<KernelConfiguration> weightsAhead() {
    return FEW_ROWS.stream().flatMap(m -> Stream.of(0f, 0.5f).map(beta -> {
      var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, SIZE, SIZE, 1, "TN").scaled(1, beta);
      return configuration("sm90_gemm", "m=" + m + " beta=" + beta + " weights=ahead",
          () -> Sm90Gemms.prepare(problem, Sm90Gemms.configureWeightsAhead(problem)));
    }));
  }

  private static Stream<KernelConfiguration> grouped() {
    return types().filter(types -> types.a().bits() <= 16).flatMap(types -> Stream.of(Grouping.CONTIGUOUS,
        Grouping.MASKED).flatMap(grouping -> Stream.of(SIZE, SIZE + 3).map(n -> {
          var problem = GemmProblem.packed(types, SIZE, n, n, grouping == Grouping.MASKED ? GROUPS : 1, "TN");
          return configuration("sm90_grouped_gemm", types + " n=" + n + " " + grouping,
              () -> new GroupedGemm(problem, grouping, GROUPS).prepare());
        })));
  }

  private static Stream<KernelConfiguration> dual() {
    return types().filter(types -> types.output() != ElementType.I32)
        .flatMap(types -> Stream.of(16, SIZE).flatMap(m -> Stream.of(SIZE, SIZE + 3).map(n ->
            configuration("sm90_dual_gemm", types + " m=" + m + " n=" + n, () -> DualGemm.packed(
                GemmProblem.packed(types, m, n, SIZE, 1, "TN"), Pointwise.SWISH).prepare()))));
  }

  private static Stream<KernelConfiguration> mixed() {
    return Stream.of(ElementType.E4M3, ElementType.E5M2, ElementType.I4).flatMap(weights ->
        Stream.of(ElementType.BF16, ElementType.F16).flatMap(activations -> Stream.of(16, 64, 128, SIZE).map(n -> {
          var types = new GemmTypes(weights, activations, activations, Accumulation.SCALED);
          return configuration("sm90_mixed_gemm", types + " n=" + n,
              () -> MixedGemm.packed(GemmProblem.packed(types, SIZE, n, SIZE, 1, "TN")).prepare());
        })));
  }

  private static Stream<KernelConfiguration> blackwellRungs() {
    return types().flatMap(types -> ORDERS.stream().flatMap(order -> Sm100Gemms.rungs().stream().map(rung ->
        configuration("sm100_gemm", order + " " + types + " rung=" + rung,
            () -> Sm100Gemms.prepare(problem(types, order), rung)))));
  }

  private static Stream<KernelConfiguration> blackwellEpilogues() {
    var problem = ofBf16().scaled(1, 2);
    return Stream.of(StandardEpilogue.values()).map(epilogue -> configuration("sm100_gemm",
        "epilogue=" + epilogue.text(), () -> Sm100Gemms.prepare(problem, arguments(epilogue, problem))));
  }

  private static Stream<KernelConfiguration> narrow() {
    return Stream.of(new UmmaTypes(MmaKind.MXF8F6F4, MmaFormat.E4M3, MmaFormat.E5M2, ElementType.BF16),
        new UmmaTypes(MmaKind.MXF8F6F4, MmaFormat.E2M3, MmaFormat.E3M2, ElementType.BF16),
        new UmmaTypes(MmaKind.MXF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.BF16),
        new UmmaTypes(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.BF16),
        new UmmaTypes(MmaKind.F8F6F4, MmaFormat.E2M1, MmaFormat.E3M2, ElementType.BF16))
        .flatMap(types -> ORDERS.stream().flatMap(order -> Stream.of(128, SIZE).map(m ->
            configuration("sm100_narrow_gemm", order + " " + types + " m=" + m, () -> {
              var problem = NarrowGemm.problem(types, m, SIZE, SIZE, 1, order);
              return NarrowGemm.prepare(NarrowGemm.configure(types, problem), problem, SIZE,
                  EpilogueArguments.plain(problem));
            }))));
  }

  /** Quantizers of rows that are read 16 bytes at a time, and of unaligned rows. */
  private static Stream<KernelConfiguration> quantizers() {
    return Stream.of(ElementType.F32, ElementType.BF16, ElementType.F16).flatMap(type -> Stream.of(1024L, 1025L)
        .flatMap(stride -> {
          var x = new LaunchArguments.Tensor("X", 0, List.of(1024L, 1024L), List.of(stride, 1L));
          var formats = NarrowFormat.named().entrySet().stream().flatMap(named -> Stream.of(ScaleRule.values())
              .map(rule -> configuration("sm100_quantize", type + " stride=" + stride + " " + named.getKey() + " "
                  + rule, () -> NarrowQuantization.quantize(new NarrowLayout(named.getValue().scaledBy(rule), 1024,
                      1024), type, x))));
          return Stream.concat(formats, Stream.of(configuration("sm100_quantize", type + " stride=" + stride
              + " largest", () -> NarrowQuantization.largest(type, x))));
        }));
  }
}
