package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.EpilogueCases;

/** Epilogues of the SM80 GEMM: the error rule everywhere, the reference's bits where every function is exact. */
class EpilogueTest {
  private static final EpilogueCases SM80 = new EpilogueCases("sm80_gemm", "sm80", Gemm::sm80, 1);
  private static final Set<StandardEpilogue> ROUNDED = Set.of(StandardEpilogue.BIAS_GELU,
      StandardEpilogue.BIAS_GELU_TANH, StandardEpilogue.BIAS_SILU);

  @ParameterizedTest
  @EnumSource
  void isWhatTheReferenceSays(StandardEpilogue epilogue) {
    check(epilogue, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 70, 74, 40, 2, "TN").scaled(0.5f, -2));
  }

  @ParameterizedTest
  @EnumSource
  void takesOddExtentsElementByElement(StandardEpilogue epilogue) {
    check(epilogue, GemmProblem.packed(ElementType.F16, ElementType.F32, 33, 17, 19, 1, "NT").scaled(3, 1));
  }

  private static void check(StandardEpilogue epilogue, GemmProblem problem) {
    var row = Verification.verify(SM80.of(epilogue.text(), problem, epilogue.tree(problem.output())),
        new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(ROUNDED.contains(epilogue) ? Optional.empty() : Optional.of(true), row.bitExact());
  }
}
