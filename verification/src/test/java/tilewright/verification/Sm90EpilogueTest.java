package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.Reduction;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.EpilogueCases;

/** Epilogues of the Hopper GEMM: the error rule everywhere, the reference's bits where every function is exact. */
class Sm90EpilogueTest {
  private static final EpilogueCases SM90 = new EpilogueCases("sm90_gemm", "sm90",
      (p, epilogue) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, "128x128x1"), epilogue), 1);
  private static final EpilogueCases CHOSEN = new EpilogueCases("sm90_gemm", "sm90", Sm90Gemms::prepare, 1);
  private static final Set<StandardEpilogue> ROUNDED = Set.of(StandardEpilogue.BIAS_GELU,
      StandardEpilogue.BIAS_GELU_TANH, StandardEpilogue.BIAS_SILU);

  @ParameterizedTest
  @EnumSource
  void isWhatTheReferenceSays(StandardEpilogue epilogue) {
    check(epilogue, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 72, 40, 2, "TN").scaled(0.5f, -2));
  }

  @ParameterizedTest
  @CsvSource({"BETA, 64x64x1-transposed", "BIAS, 64x64x1-transposed", "ROW_BIAS, 64x64x1-transposed",
      "BIAS_GELU_AUX, 64x64x1-transposed", "ROW_SUM, 64x64x1-transposed", "COLUMN_SUM, 64x64x1-transposed",
      "BIAS_GELU, 64x64x1-split2-transposed", "AMAX, 64x64x1-transposed"})
  void followsRowsThatAreComputedAsColumns(StandardEpilogue epilogue, String tile) {
    var transposed = new EpilogueCases("sm90_gemm", "sm90",
        (p, given) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile), given), 1);
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 24, 136, 200, 1, "TN").scaled(0.5f, -2);
    check(transposed, epilogue, problem);
  }

  /** By copies where rows of C are multiples of 16 bytes, else element by element. */
  @ParameterizedTest
  @CsvSource({"BIAS_RESIDUAL, 128x48x1-transposed, 264", "BIAS_RESIDUAL, 128x48x1-transposed, 262",
      "BETA, 192x88x1-beside2-transposed, 200", "BETA, 192x88x1-beside2-transposed, 201",
      "BETA, 256x144x1-transposed, 392", "BETA, 256x144x1-transposed, 391",
      "BETA, 64x96x4-transposed-shared-tail, 264", "BIAS_RESIDUAL, 64x96x4-transposed-shared-tail, 263",
      "BETA, 128x144x2-transposed-shared-tail, 264", "BETA, 128x144x2-transposed-shared-tail, 266"})
  void readsAMatrixWhoseRowsAreComputedAsColumns(StandardEpilogue epilogue, String tile, int n) {
    var transposed = new EpilogueCases("sm90_gemm", "sm90",
        (p, given) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile), given), 1);
    check(transposed, epilogue,
        GemmProblem.packed(ElementType.BF16, ElementType.BF16, 149, n, 136, 2, "TN").scaled(0.5f, -2));
  }

  /** Parts of k are added in another order than the reference adds them in. */
  @ParameterizedTest
  @CsvSource({"BETA, 64x48x1-split4-transposed, 136", "BIAS_RESIDUAL, 64x48x1-split4-transposed, 133",
      "BETA, 64x104x2-split4-transposed, 136"})
  void readsAMatrixBesidePartsOfK(StandardEpilogue epilogue, String tile, int n) {
    var split = new EpilogueCases("sm90_gemm", "sm90",
        (p, given) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, tile), given), 1);
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 149, n, 136, 2, "TN").scaled(0.5f, -2);
    verified(split, epilogue.text(), problem, epilogue.tree(problem.output()));
  }

  /** A column-major C, by copies and element by element. */
  @ParameterizedTest
  @CsvSource({"136, 72", "131, 72", "136, 67"})
  void addsToColumns(int m, int n) {
    var p = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, 40, 1, "TN").scaled(0.5f, -2);
    check(SM90, StandardEpilogue.BETA, new GemmProblem(p.types(), m, n, p.k(), 1, p.a(), p.b(),
        Matrix.columnMajor("C", m, n), p.alpha(), p.beta()));
  }

  @ParameterizedTest
  @EnumSource(names = {"BETA", "BIAS_RESIDUAL"})
  void readsAMatrixWhereConsumersTakeTurns(StandardEpilogue epilogue) {
    var inTurn = new EpilogueCases("sm90_gemm", "sm90",
        (p, given) -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, "128x128x1-in-turn"), given), 1);
    check(inTurn, epilogue,
        GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 264, 72, 1, "TN").scaled(0.5f, -2));
  }

  @ParameterizedTest
  @CsvSource({"BETA, 4096, true", "BETA, 8192, false", "BETA, 512, false", "BIAS, 4096, false"})
  void hasConsumersTakeTurnsWhereAMatrixIsReadAndKIsShort(StandardEpilogue epilogue, int n, boolean turns) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, n, n, n, 1, "TN");
    assertEquals(turns, Sm90Gemms.configure(problem, epilogue.tree(problem.output())).pingPong());
  }

  @ParameterizedTest
  @EnumSource(names = {"BETA", "BIAS_GELU_AUX", "COLUMN_SUM"})
  void goesTheSm80WayWhereNothingIsAligned(StandardEpilogue epilogue) {
    check(CHOSEN, epilogue, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 33, 47, 19, 2, "TN"));
  }

  @ParameterizedTest
  @EnumSource(names = {"BIAS_RELU", "SATURATED", "AMAX", "BIAS_RESIDUAL"})
  void roundsToEightBits(StandardEpilogue epilogue) {
    // Products of some hundred: beyond E4M3's 448 and a byte's 127.
    for (var type : List.of(ElementType.E4M3, ElementType.E5M2, ElementType.I8)) {
      var problem = GemmProblem.packed(ElementType.BF16, type, 72, 80, 40, 1, "TN").scaled(50, 0);
      check(SM90, epilogue, problem, epilogue.tree(ElementType.BF16).convert(type));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "BETA", "BIAS", "ROW_BIAS", "ROW_SUM"})
  void storesColumnMajorByTheTransposedInstruction(StandardEpilogue epilogue) {
    var p = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 72, 40, 2, "TN").scaled(0.5f, 3);
    var problem = new GemmProblem(p.types(), p.m(), p.n(), p.k(), p.batch(), p.a(), p.b(),
        Matrix.columnMajor("C", p.m(), p.n()), p.alpha(), p.beta());
    check(SM90, epilogue, problem, epilogue.tree(problem.output()));
    check(CHOSEN, epilogue, problem, epilogue.tree(problem.output()));
    var kernel = Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, "128x128x1")).kernel();
    assertTrue(kernel.ptx().contains("stmatrix.sync.aligned.m8n8.x4.trans"));
  }

  @Test
  void findsMaximaOfRowsAndMagnitudesOfColumns() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 136, 72, 40, 2, "TN").scaled(-1, 0);
    // Far below zero, so that the largest is no maximum of magnitudes, and zero would be wrong beyond the borders.
    var tree = Epilogue.accumulator().times(Epilogue.scalar("alpha")).plus(Epilogue.constant(-100))
        .reduce("rows", Reduction.MAX, Epilogue.Along.ROWS)
        .reduce("columns", Reduction.AMAX, Epilogue.Along.COLUMNS).convert(ElementType.BF16);
    assertEquals(Optional.of(true), verified(SM90, "maxima", problem, tree).bitExact());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void overflowSaturatesWhereAskedToAndElseIsInfinite(boolean saturating) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.F16, 72, 80, 40, 1, "TN").scaled(20_000, 0);
    var product = Epilogue.accumulator().times(Epilogue.scalar("alpha"));
    var tree = saturating ? product.saturate(ElementType.F16) : product.convert(ElementType.F16);
    assertEquals(Optional.of(true), verified(SM90, "overflow", problem, tree).bitExact());
  }

  @ParameterizedTest
  @EnumSource(names = {"BETA", "BIAS_RESIDUAL"})
  void aMatrixComesToTheStagesOfEveryTileOfABlock(StandardEpilogue epilogue) {
    var alone = new EpilogueCases("sm90_gemm", "sm90", (p, given) -> {
      var launch = Sm90Gemms.prepare(p, Sm90Gemms.configure(p, "128x256x1"), given);
      return new PreparedLaunch(launch.kernel(), Dim3.of(1), launch.arguments());
    }, 1);
    check(alone, epilogue, GemmProblem.packed(ElementType.BF16, ElementType.BF16, 200, 392, 40, 1, "TN").scaled(1, 2),
        epilogue.tree(ElementType.BF16));
  }

  @Test
  void nothingAlongKLeavesTheBias() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 72, 80, 0, 1, "TN");
    check(StandardEpilogue.BIAS_RELU, problem);
  }

  private static Epilogue example() {
    return Epilogue.accumulator().times(Epilogue.scalar("alpha"))
        .plus(Epilogue.source("R", ElementType.BF16).times(Epilogue.scalar("beta")))
        .plus(Epilogue.columnBias("bias", ElementType.F32))
        .store("Z", ElementType.BF16)
        .apply(Pointwise.GELU_ERF)
        .amax("largest")
        .convert(ElementType.BF16);
  }

  @Test
  void everythingAtOnce() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 72, 136, 40, 2, "TN").scaled(0.5f, -2);
    verified(SM90, "example", problem, example());
  }

  private static void check(StandardEpilogue epilogue, GemmProblem problem) {
    check(SM90, epilogue, problem);
  }

  private static void check(EpilogueCases cases, StandardEpilogue epilogue, GemmProblem problem) {
    check(cases, epilogue, problem, epilogue.tree(problem.output()));
  }

  private static void check(EpilogueCases cases, StandardEpilogue epilogue, GemmProblem problem, Epilogue tree) {
    var row = verified(cases, epilogue.text(), problem, tree);
    assertEquals(ROUNDED.contains(epilogue) ? Optional.empty() : Optional.of(true), row.bitExact());
  }

  private static Row verified(EpilogueCases cases, String name, GemmProblem problem, Epilogue tree) {
    var row = Verification.verify(cases.of(name, problem, tree), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    return row;
  }
}
