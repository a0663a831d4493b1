package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.HopperGemm;

/** Epilogues of the Hopper GEMM: the error rule everywhere, the reference's bits where every function is exact. */
class HopperEpilogueTest {
  private static final EpilogueCases SM90 = new EpilogueCases("sm90_gemm", "sm90",
      (p, epilogue) -> HopperGemm.prepare(p, HopperGemm.configure(p, "128x128x1"), epilogue), 1);
  private static final Set<StandardEpilogue> ROUNDED = Set.of(StandardEpilogue.BIAS_GELU,
      StandardEpilogue.BIAS_GELU_TANH, StandardEpilogue.BIAS_SILU, StandardEpilogue.BIAS_GELU_AUX,
      StandardEpilogue.ROW_SUM, StandardEpilogue.COLUMN_SUM);

  @ParameterizedTest
  @EnumSource
  void isWhatTheReferenceSays(StandardEpilogue epilogue) {
    check(epilogue, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 72, 40, 2, "TN").scaled(0.5f, -2));
  }

  private static void check(StandardEpilogue epilogue, GemmProblem problem) {
    var row = Verification.verify(SM90.of(epilogue.text(), problem, epilogue.tree(problem.output()), true),
        new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    if (!ROUNDED.contains(epilogue)) assertEquals(Optional.of(true), row.bitExact());
  }
}
