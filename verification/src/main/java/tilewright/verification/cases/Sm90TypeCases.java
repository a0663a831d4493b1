package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90Gemms;

/** The Hopper GEMM in types that are not 16 bits wide. */
final class Sm90TypeCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");

  private Sm90TypeCases() {}

  /** Block-scaled GEMMs: tails in every extent, operands that are quantised normal values. */
  static List<Case> scaled(long seed) {
    return List.of(scaled(138, 264, 400, 2, EVERYWHERE, seed), scaled(40, 16, 16, 1, EVERYWHERE, seed),
        scaled(136, 133, 275, 2, EVERYWHERE, seed),
        scaled(1024, 2048, 1536, 1, GPU_ONLY, seed));
  }

  /** Groups of rows one after the other, with a block of none and a tail, and masked, with none and all of the rows. */
  static List<Case> grouped(long seed) {
    var cases = new ArrayList<Case>();
    for (var types : List.of(GemmTypes.of(ElementType.BF16, ElementType.BF16),
        GemmTypes.of(ElementType.E4M3, ElementType.BF16))) {
      cases.add(grouped(types, 400, 48, 96, Grouping.CONTIGUOUS, List.of(2, 0, -1, 1), 3, EVERYWHERE, seed));
      cases.add(grouped(types, 200, 48, 96, Grouping.MASKED, List.of(130, 0, 200, 7), 4, EVERYWHERE, seed));
      cases.add(grouped(types, 400, 45, 99, Grouping.CONTIGUOUS, List.of(2, 0, -1, 1), 3, EVERYWHERE, seed));
      cases.add(grouped(types, 2048, 512, 1024, Grouping.CONTIGUOUS,
          List.of(7, 7, 0, 3, 3, 3, 3, 3, 1, 1, 2, 4, 4, 5, 6, 6), 8, GPU_ONLY, seed));
      cases.add(grouped(types, 512, 512, 1024, Grouping.MASKED, List.of(300, 1, 512, 0, 129, 64), 6, GPU_ONLY, seed));
    }
    cases.addAll(groupedEpilogues(seed));
    return cases;
  }

  /** Groups with alpha, beta, an activation and a bias for each, which for ragged groups begin at any row. */
  private static List<Case> groupedEpilogues(long seed) {
    var cases = new ArrayList<Case>();
    cases.add(grouped(StandardEpilogue.BETA, 400, 48, 96, Grouping.CONTIGUOUS, List.of(2, 0, -1, 1), 3, EVERYWHERE,
        seed));
    cases.add(grouped(StandardEpilogue.BIAS_RELU, 200, 45, 96, Grouping.MASKED, List.of(130, 0, 200, 7), 4, EVERYWHERE,
        seed));
    cases.add(grouped(StandardEpilogue.BETA, 300, 48, 96, Grouping.RAGGED, List.of(70, 70, 203, 290), 4, EVERYWHERE,
        seed));
    cases.add(grouped(StandardEpilogue.BIAS_RESIDUAL, 300, 48, 96, Grouping.RAGGED, List.of(1, 130, 300), 3, EVERYWHERE,
        seed));
    cases.add(grouped(StandardEpilogue.BIAS_GELU_AUX, 256, 48, 96, Grouping.CONTIGUOUS, List.of(1, 0), 2, EVERYWHERE,
        seed));
    var codes = GemmProblem.packed(ElementType.E4M3, ElementType.E4M3, 256, 136, 96, 1, "TN").scaled(0.5f, 0);
    cases.add(new GroupedCase(GroupedGemm.packed(codes, Grouping.CONTIGUOUS, 2, Epilogue.accumulator()
        .times(Epilogue.scalar("alpha")).quantize("factors")), List.of(1, 0), "quantized").of(EVERYWHERE, seed));
    cases.add(grouped(StandardEpilogue.FACTOR, 256, 48, 96, Grouping.CONTIGUOUS, List.of(1, 0), 2, EVERYWHERE, seed));
    cases.add(grouped(StandardEpilogue.BETA, 2048, 512, 1024, Grouping.RAGGED,
        List.of(300, 301, 301, 900, 1100, 1500, 1836, 2000), 8, GPU_ONLY, seed));
    cases.add(grouped(StandardEpilogue.BIAS_SILU, 2048, 512, 1024, Grouping.CONTIGUOUS,
        List.of(7, 7, 0, 3, 3, 3, 3, 3, 1, 1, 2, 4, 4, 5, 6, 6), 8, GPU_ONLY, seed));
    return cases;
  }

  private static Case grouped(StandardEpilogue epilogue, int m, int n, int k, Grouping grouping, List<Integer> table,
      int groups, Set<String> backends, long seed) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k,
        grouping == Grouping.MASKED ? groups : 1, "TN").scaled(0.5f, epilogue == StandardEpilogue.BETA ? -2 : 0);
    return new GroupedCase(GroupedGemm.packed(problem, grouping, groups, epilogue.tree(problem.output())), table,
        epilogue.text()).of(backends, seed);
  }

  private static Case grouped(GemmTypes types, int m, int n, int k, Grouping grouping, List<Integer> table, int groups,
      Set<String> backends, long seed) {
    var problem = GemmProblem.packed(types, m, n, k, grouping == Grouping.MASKED ? groups : 1, "TN");
    return new GroupedCase(new GroupedGemm(problem, grouping, groups), table, "plain").of(backends, seed);
  }

  /** Narrow weights and 16-bit activations, of few rows, of more and of many. */
  static List<Case> mixed(long seed) {
    var cases = new ArrayList<Case>();
    for (var types : List.of(mixed(ElementType.E4M3, ElementType.BF16), mixed(ElementType.E5M2, ElementType.F16),
        mixed(ElementType.I4, ElementType.BF16), mixed(ElementType.I4, ElementType.F16))) {
      cases.add(new MixedCase(MixedGemm.packed(GemmProblem.packed(types, 136, 48, 288, 2, "TN"))).of(EVERYWHERE, seed));
      cases.add(new MixedCase(MixedGemm.packed(GemmProblem.packed(types, 72, 45, 274, 2, "TN"))).of(EVERYWHERE, seed));
      cases.add(new MixedCase(MixedGemm.packed(GemmProblem.packed(types, 72, 136, 416, 1, "TN"))).of(EVERYWHERE, seed));
      cases.add(new MixedCase(MixedGemm.packed(GemmProblem.packed(types, 1024, 2048, 1536, 1, "TN")))
          .of(GPU_ONLY, seed));
    }
    return cases;
  }

  private static GemmTypes mixed(ElementType weights, ElementType activations) {
    return new GemmTypes(weights, activations, activations, Accumulation.SCALED);
  }

  private static Case scaled(int m, int n, int k, int batch, Set<String> backends, long seed) {
    var problem = GemmProblem.packed(fp8(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED), m,
        n, k, batch, "TN");
    var gemm = ScaledGemm.packed(problem);
    return new ScaledCase(gemm).of(backends, seed);
  }

  /** Tails in every extent, a batch, K of none, and every mix of 8-bit floats in both accumulations. */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    types().forEach(types -> cases.add(of(types, 136, 48, 288, 1, EVERYWHERE, seed)));
    types().filter(types -> types.a() == types.b())
        .forEach(types -> cases.add(of(types, 1024, 2048, 1536, 1, GPU_ONLY, seed)));
    for (var output : List.of(ElementType.F16, ElementType.F32)) {
      cases.add(of(fp8(ElementType.E4M3, ElementType.E4M3, output, Accumulation.EXACT), 72, 264, 400, 2, EVERYWHERE,
          seed));
    }
    cases.add(of(GemmTypes.of(ElementType.I8, ElementType.I32), 16, 16, 0, 1, EVERYWHERE, seed));
    cases.add(of(GemmTypes.of(ElementType.I8, ElementType.BF16), 72, 263, 400, 2, EVERYWHERE, seed));
    cases.add(twoPieces(136, 200, 288, seed));
    cases.addAll(parts(seed));
    cases.addAll(fetched(seed));
    return cases;
  }

  /** GEMMs with a {@code cp.async} mainloop: rows of any length, and operands that are not K-major. */
  private static List<Case> fetched(long seed) {
    var exact = fp8(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT);
    return List.of(fetched(GemmTypes.of(ElementType.E4M3, ElementType.BF16), 136, 45, 273, 2, "TN", seed),
        fetched(exact, 40, 136, 400, 1, "TT", seed),
        fetched(GemmTypes.of(ElementType.TF32, ElementType.F32), 40, 136, 75, 1, "NT", seed),
        fetched(GemmTypes.of(ElementType.I8, ElementType.I32), 40, 24, 273, 1, "NN", seed));
  }

  private static Case fetched(GemmTypes types, int m, int n, int k, int batch, String order, long seed) {
    var problem = GemmProblem.packed(types, m, n, k, batch, order);
    return GemmCases.gemm("sm90_gemm", "sm90", problem, () -> Sm90Gemms.prepare(problem), order, EVERYWHERE, seed);
  }

  /** Exact sums in tiles of which a thread multiplies one piece while it adds the one before. */
  private static Case twoPieces(int m, int n, int k, long seed) {
    var problem = GemmProblem.packed(fp8(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.EXACT), m,
        n, k, 1, "TN");
    return GemmCases.gemm("sm90_gemm", "sm90", problem,
        () -> Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, "128x192x2")), "TN", EVERYWHERE, seed);
  }

  /** Sums of bytes in parts of k: of CTAs of a cluster, and through memory. */
  private static List<Case> parts(long seed) {
    return Stream.of(GemmTypes.of(ElementType.I8, ElementType.I32), GemmTypes.of(ElementType.I8, ElementType.BF16),
        fp8(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.EXACT))
        .flatMap(types -> Stream.of("64x64x1-split2-transposed", "64x96x4-transposed-shared-tail").map(tile -> {
          var problem = GemmProblem.packed(types, 72, 80, 1040, 1, "TN");
          return GemmCases.hopper(problem, Sm90Gemms.configure(problem, tile),
              GemmCases.config(problem, "TN") + " tile=" + tile, EVERYWHERE, seed);
        })).toList();
  }

  private static Stream<GemmTypes> types() {
    var narrow = List.of(ElementType.E4M3, ElementType.E5M2);
    var plain = Stream.of(GemmTypes.of(ElementType.TF32, ElementType.F32),
        GemmTypes.of(ElementType.I8, ElementType.I32));
    return Stream.concat(plain, Stream.of(Accumulation.FAST, Accumulation.EXACT).flatMap(accumulation ->
        narrow.stream().flatMap(a -> narrow.stream().map(b -> fp8(a, b, ElementType.BF16, accumulation)))));
  }

  private static GemmTypes fp8(ElementType a, ElementType b, ElementType output, Accumulation accumulation) {
    return new GemmTypes(a, b, output, accumulation);
  }

  private static Case of(GemmTypes types, int m, int n, int k, int batch, Set<String> backends, long seed) {
    var problem = GemmProblem.packed(types, m, n, k, batch, "TN");
    return GemmCases.hopper(problem, Sm90Gemms.configure(problem), GemmCases.config(problem, "TN"), backends, seed);
  }
}
