package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.DualGemm;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.DualCase;

/** Two products that share A: the reference's bits where every function is exact, in tiles of every kind. */
class Sm90DualGemmTest {
  private static GemmProblem problem(int m, int n, int k, String order) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, order);
  }

  /** CTAs that load a tile of B together, a product each; consumers that take turns; tiles that are cut along k. */
  @ParameterizedTest
  @CsvSource({"128x256x2, TN, 136, 136, 200", "128x256x2, TT, 136, 136, 200", "128x192x1, TN, 136, 104, 72",
      "128x128x1-in-turn, TN, 136, 136, 72", "128x128x1-shared-tail, NN, 136, 136, 264",
      "128x64x1-split2, TN, 136, 40, 264"})
  void isWhatTheReferenceSays(String tile, String order, int m, int n, int k) {
    var gemm = DualGemm.packed(problem(m, n, k, order).scaled(0.25f, 0), Pointwise.RELU);
    check(new DualCase(gemm, tile, order, Sm90Gemms.configure(gemm.wide(), tile)));
  }

  /** Both products in a sum with a bias, a matrix that is read, and one that is written besides. */
  @Test
  void anyTreeMakesAnElementOfBothProducts() {
    var p = problem(72, 72, 40, "TN");
    var tree = Epilogue.accumulator(1).plus(Epilogue.columnBias("bias", ElementType.BF16)).max(Epilogue.accumulator(0))
        .plus(Epilogue.source("R", ElementType.BF16)).store("Z", ElementType.BF16)
        .times(Epilogue.constant(0.5f)).convert(ElementType.BF16);
    var gemm = DualGemm.packed(p, EpilogueArguments.packed(tree, p));
    check(new DualCase(gemm, "tree", "TN", gemm.configure()));
  }

  private static void check(DualCase dual) {
    var row = Verification.verify(dual.of(Set.of("sim"), 1), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact());
  }

  @Test
  void aTreeOfAnotherNumberOfProductsIsRefused() {
    var p = problem(72, 72, 40, "TN");
    var gated = EpilogueArguments.packed(DualGemm.gated(Pointwise.SWISH, p.output()), p);
    assertEquals("the epilogue takes 2 product(s), but the GEMM computes 1",
        assertThrows(IllegalArgumentException.class, () -> Sm90Gemms.prepare(p, gated)).getMessage());
    var plain = DualGemm.packed(p, EpilogueArguments.packed(StandardEpilogue.PLAIN.tree(p.output()), p));
    assertEquals("the epilogue takes 1 product(s), but the GEMM computes 2",
        assertThrows(IllegalArgumentException.class, plain::prepare).getMessage());
  }
}
