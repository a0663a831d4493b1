package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.Sm100Gemms;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.EpilogueCases;

/** Epilogues of the Blackwell GEMM: the error rule everywhere, the reference's bits where every function is exact. */
class Sm100EpilogueTest {
  private static final EpilogueCases SM100 = new EpilogueCases("sm100_gemm", "sm100", Sm100Gemms::prepare, 1);
  private static final Set<StandardEpilogue> ROUNDED = Set.of(StandardEpilogue.BIAS_GELU,
      StandardEpilogue.BIAS_GELU_TANH, StandardEpilogue.BIAS_SILU);

  @ParameterizedTest
  @EnumSource
  void isWhatTheReferenceSays(StandardEpilogue epilogue) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 72, 40, 2, "TN").scaled(0.5f, -2);
    var row = Verification.verify(SM100.of(epilogue.text(), problem, epilogue.tree(problem.output())),
        new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(ROUNDED.contains(epilogue) ? Optional.empty() : Optional.of(true), row.bitExact());
  }
}
