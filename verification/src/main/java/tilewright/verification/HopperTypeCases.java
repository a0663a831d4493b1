package tilewright.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm90.HopperGemm;

/** The Hopper GEMM in types that are not 16 bits wide. */
final class HopperTypeCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final Set<String> GPU_ONLY = Set.of("gpu");

  private HopperTypeCases() {}

  /** Tails in every extent, a batch, K of none, and every mix of 8-bit floats in both accumulations. */
  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    types().forEach(types -> cases.add(of(types, 136, 48, 288, 1, EVERYWHERE, seed)));
    types().filter(types -> types.a() == types.b())
        .forEach(types -> cases.add(of(types, 4096, 4096, 4096, 1, GPU_ONLY, seed)));
    for (var output : List.of(ElementType.F16, ElementType.F32)) {
      cases.add(of(fp8(ElementType.E4M3, ElementType.E4M3, output, Accumulation.EXACT), 72, 264, 400, 2, EVERYWHERE,
          seed));
    }
    cases.add(of(GemmTypes.of(ElementType.I8, ElementType.I32), 16, 16, 0, 1, EVERYWHERE, seed));
    return cases;
  }

  private static Stream<GemmTypes> types() {
    var narrow = List.of(ElementType.E4M3, ElementType.E5M2);
    var plain = Stream.of(GemmTypes.of(ElementType.TF32, ElementType.F32),
        GemmTypes.of(ElementType.I8, ElementType.I32));
    return Stream.concat(plain, Stream.of(Accumulation.values()).flatMap(accumulation -> narrow.stream().flatMap(
        a -> narrow.stream().map(b -> fp8(a, b, ElementType.BF16, accumulation)))));
  }

  private static GemmTypes fp8(ElementType a, ElementType b, ElementType output, Accumulation accumulation) {
    return new GemmTypes(a, b, output, accumulation);
  }

  private static Case of(GemmTypes types, int m, int n, int k, int batch, Set<String> backends, long seed) {
    var problem = GemmProblem.packed(types, m, n, k, batch, "TN");
    return GemmCases.gemm("sm90_gemm", "sm90", problem, () -> HopperGemm.prepare(problem), "TN", backends, true, seed);
  }
}
