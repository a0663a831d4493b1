package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.GemmCases;

/** The tiles that large SM80 products take, made for their problem's strides. */
class Sm80GemmTilesTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  private static GemmProblem problem(String order, ElementType output, int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, output, m, n, k, 1, order);
  }

  /**
   * Whole tiles, k that ends within one and with one. C of 16 bits is stored eight at a time, by any order of B;
   * FP32 numbers four at a time where B's neighbours run along k, else two.
   */
  @ParameterizedTest
  @CsvSource({"TN,72,BF16", "NN,72,BF16", "TT,72,BF16", "NT,72,BF16", "TN,128,BF16", "NT,192,BF16", "NN,64,BF16",
      "TN,72,F32", "NN,64,F32", "NT,72,F32"})
  void areExactInTheSimulator(String order, int k, ElementType output) {
    var large = Gemm.configure(problem(order, output, 2048, 2048, 512));
    int m = large.tile().m();
    int n = large.tile().n();
    var p = problem(order, output, m, n, k);
    var fit = new GemmConfig.Fit(large.operands().aKMajor() ? k : m, large.operands().bKMajor() ? k : n, n,
        k % large.tile().k() == 0);
    var config = new GemmConfig(large.operands(), large.tile(), large.vectors(), Optional.of(fit));
    var row = Verification.verify(GemmCases.gemm("sm80_gemm", "sm80", p, () -> Gemm.sm80(p, config), order,
        Set.of("sim"), 1), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(0, row.findings());
  }

  @ParameterizedTest
  @CsvSource({"TN,BF16", "NT,BF16", "TN,F32", "NT,F32"})
  void areAssembledWithoutSpills(String order, ElementType output) {
    var p = problem(order, output, 4096, 4096, 4096);
    assertTrue(Gemm.configure(p).fit().isPresent());
    switch (ASSEMBLER.assemble(Gemm.sm80(p).kernel().ptx(), "sm_90a")) {
      case Assembly.Assembled assembled ->
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
