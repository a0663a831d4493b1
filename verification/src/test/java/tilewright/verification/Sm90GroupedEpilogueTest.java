package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.GroupedCase;

/** Groups of rows with an epilogue: the reference's bits, and no races where groups share tiles. */
class Sm90GroupedEpilogueTest {
  private static GroupedGemm gemm(Grouping grouping, StandardEpilogue epilogue, int n, int groups) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 256, n, 72,
        grouping == Grouping.MASKED ? groups : 1, "TN").scaled(0.5f, epilogue == StandardEpilogue.BETA ? -2 : 0);
    return GroupedGemm.packed(problem, grouping, groups, epilogue.tree(problem.output()));
  }

  @ParameterizedTest
  @CsvSource({"CONTIGUOUS, BETA, 45, 1 0", "CONTIGUOUS, ROW_BIAS, 40, 1 -1", "CONTIGUOUS, COLUMN_SUM, 40, 1 0",
      "CONTIGUOUS, BIAS_GELU_AUX, 40, 0 1", "MASKED, BIAS_RESIDUAL, 40, 70 255",
      "MASKED, FACTOR, 40, 1 0", "RAGGED, BETA, 45, 1 130", "RAGGED, BIAS, 40, 63 256"})
  void isWhatTheReferenceSays(Grouping grouping, StandardEpilogue epilogue, int n, String table) {
    var entries = Arrays.stream(table.split(" ")).map(Integer::valueOf).toList();
    var grouped = new GroupedCase(gemm(grouping, epilogue, n, 2), entries, epilogue.text());
    var row = Verification.verify(grouped.of(Set.of("sim"), 1), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    boolean exact = epilogue != StandardEpilogue.BIAS_GELU_AUX;
    assertEquals(exact ? Optional.of(true) : row.bitExact(), row.bitExact());
  }

  @ParameterizedTest
  @CsvSource({"RAGGED, AMAX, neither a second output nor reductions",
      "RAGGED, BIAS_GELU_AUX, neither a second output nor reductions", "MASKED, COLUMN_SUM, no reductions over rows"})
  void whatRowsOfNoGroupWouldSpoilIsRefused(Grouping grouping, StandardEpilogue epilogue, String what) {
    var refusal = assertThrows(IllegalArgumentException.class, () -> gemm(grouping, epilogue, 40, 2));
    assertEquals("an epilogue of " + grouping.name().toLowerCase(java.util.Locale.ROOT) + " groups has " + what
        + ", since tiles hold rows of no group: contiguous groups have them", refusal.getMessage());
  }
}
