package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.collective.SplitK;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.EpilogueCases;
import tilewright.verification.cases.GemmCases;

/** CTAs that share the k of a tile: the bits of sums in the order of k, whichever CTA comes last. */
class Sm80SplitKTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  private static GemmProblem problem(int m, int n, int k, String order) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, order);
  }

  /** Kernels made for strides, whose k is whole tiles and not, under several schedules. */
  @ParameterizedTest
  @CsvSource({"TN, 128, 128, 256, 4", "NT, 64, 64, 320, 5", "TT, 64, 128, 200, 3"})
  void everyRunHasTheSameBits(String order, int m, int n, int k, int splits) {
    var p = problem(m, n, k, order).scaled(0.5f, 2);
    for (long seed = 1; seed <= 2; seed++) assertExact(GemmCases.split(p, splits, order, Set.of("sim"), 1), seed);
  }

  /** Stores of pairs and of single elements, and sums over the rows of several tiles. */
  @ParameterizedTest
  @CsvSource({"BIAS_RESIDUAL, 136", "BETA, 33", "COLUMN_SUM, 136"})
  void theLastHasTheEpilogue(StandardEpilogue epilogue, int n) {
    var split = new EpilogueCases("sm80_gemm", "sm80", (p, given) -> Gemm.sm80(p, Gemm.configure(p), given, 2), 1);
    var p = problem(70, n, 64, "TN").scaled(0.5f, -2);
    var row = Verification.verify(split.of(epilogue.text(), p, epilogue.tree(p.output())), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
  }

  private static void assertExact(Case c, long seed) {
    var row = Verification.verify(c, new SimulatorBackend(seed));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact());
  }

  @ParameterizedTest
  @CsvSource({"TN, 512, 512, 65536", "TN, 4096, 4096, 4096"})
  void isAssembledWithoutSpills(String order, int m, int n, int k) {
    var p = problem(m, n, k, order);
    switch (ASSEMBLER.assemble(Gemm.sm80(p, Gemm.configure(p), 4).kernel().ptx(), "sm_80")) {
      case Assembly.Assembled assembled ->
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  @Test
  void asManyCtasShareKAsFillAGpuAndAsThereIsKFor() {
    assertEquals(16, splits(128, 128, 65536));
    assertEquals(1, splits(4096, 4096, 4096));
    assertEquals(2, splits(64, 64, 512));
    assertEquals(1, splits(64, 64, 0));
    assertEquals(3, SplitK.parts(160, 32, 4));
    assertEquals(1, SplitK.parts(0, 32, 4));
  }

  private static int splits(int m, int n, int k) {
    var p = problem(m, n, k, "TN");
    return Gemm.splits(p, Gemm.configure(p), Chip.A100.multiprocessors());
  }

  /** 64 tiles: an A100 has SMs for each once, an H100 and an RTX 5090 twice. */
  @ParameterizedTest
  @CsvSource({"80, 64", "89, 128", "90, 128", "120, 128"})
  void automaticPartsFillTheGpuThatTheKernelIsFor(int capability, int ctas) {
    var kernel = KernelRegistry.builtIn().on(capability).find("sm80_gemm").orElseThrow();
    var settings = Map.of("m", "1024", "n", "1024", "k", "8192", "split", "auto");
    var grid = kernel.prepare(kernel.defaults().with(settings)).grid();
    assertEquals(ctas, grid.x() * grid.y() * grid.z());
  }

  @Test
  void whatCannotBeDividedIsRefused() {
    var halves = GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16);
    var p = GemmProblem.packed(halves, 64, 64, 512, 1, "TN");
    assertEquals("accumulators of f16 are not added from CTA to CTA: leave split at 1, or accumulate in f32",
        assertThrows(IllegalArgumentException.class, () -> Gemm.sm80(p, Gemm.configure(p), 2)).getMessage());
    assertEquals("k is divided into 0 parts: 1 or more",
        assertThrows(IllegalArgumentException.class, () -> Gemm.sm80(p, Gemm.configure(p), 0)).getMessage());
  }
}
