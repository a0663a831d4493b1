package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm100.Sm100Gemms;

/** The Blackwell GEMM: operand orders, tails in every extent, a batch, a factor, extents of none, and every rung. */
final class Sm100GemmCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");

  private Sm100GemmCases() {}

  static List<Case> all(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : List.of("TN", "NN", "TT", "NT")) {
      cases.add(gemm(problem(ElementType.BF16, ElementType.BF16, 264, 136, 72, order), order, seed));
    }
    cases.add(gemm(GemmProblem.packed(ElementType.F16, ElementType.F32, 40, 24, 200, 3, "TN").scaled(0.5f, 0), "TN",
        seed));
    for (var order : List.of("NN", "TT", "NT")) {
      cases.add(gemm(problem(ElementType.F16, ElementType.F16, 136, 72, 40, order), order, seed));
    }
    cases.add(gemm(problem(ElementType.F16, ElementType.F16, 1, 8, 8, "TN"), "TN", seed));
    var odd = problem(ElementType.BF16, ElementType.F32, 17, 33, 65, "TN");
    cases.add(GemmCases.unaligned("sm100", () -> Sm100Gemms.prepare(odd), odd, "TN", seed));
    for (var problem : GemmCases.empty(ElementType.BF16, ElementType.BF16)) cases.add(gemm(problem, "TN", seed));
    for (var types : types()) {
      cases.add(gemm(GemmProblem.packed(types, 136, 48, 288, 1, "TN"), "TN", seed));
      for (var order : List.of("NN", "TT", "NT")) {
        cases.add(gemm(GemmProblem.packed(types, 144, 48, 160, 1, order), order, seed));
      }
    }
    for (var rung : Sm100Gemms.rungs()) {
      var problem = problem(ElementType.BF16, ElementType.F32, 392, 264, 136, "TN");
      cases.add(GemmCases.gemm("sm100_gemm", "sm100", problem,
          () -> Sm100Gemms.prepare(problem, rung), "TN " + rung, EVERYWHERE, seed));
      var empty = problem(ElementType.BF16, ElementType.F32, 0, 264, 136, "TN");
      cases.add(GemmCases.gemm("sm100_gemm", "sm100", empty, () -> Sm100Gemms.prepare(empty, rung), "TN " + rung,
          EVERYWHERE, seed));
    }
    return cases;
  }

  private static List<GemmTypes> types() {
    var all = new ArrayList<>(List.of(GemmTypes.of(ElementType.TF32, ElementType.F32),
        GemmTypes.of(ElementType.I8, ElementType.I32)));
    for (var a : List.of(ElementType.E4M3, ElementType.E5M2)) {
      for (var b : List.of(ElementType.E4M3, ElementType.E5M2)) {
        all.add(new GemmTypes(a, b, ElementType.BF16, Accumulation.FAST));
      }
    }
    return all;
  }

  private static GemmProblem problem(ElementType operand, ElementType output, int m, int n, int k, String order) {
    return GemmProblem.packed(operand, output, m, n, k, 1, order);
  }

  private static Case gemm(GemmProblem problem, String order, long seed) {
    return GemmCases.gemm("sm100_gemm", "sm100", problem, () -> Sm100Gemms.prepare(problem), order, EVERYWHERE, seed);
  }
}
