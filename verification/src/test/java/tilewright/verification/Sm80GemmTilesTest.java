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
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmConfig;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

/** The tiles that large SM80 products take, made for their problem's strides. */
class Sm80GemmTilesTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  private static GemmProblem problem(String order, ElementType output, int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, output, m, n, k, 1, order);
  }

  /** Whole tiles, k that ends within one and with one; C of 16 bits is stored eight at a time, by any order of B. */
  @ParameterizedTest
  @CsvSource({"TN,72", "NN,72", "TT,72", "NT,72", "TN,128", "NT,192", "NN,64"})
  void areExactInTheSimulator(String order, int k) {
    var output = ElementType.BF16;
    var large = Gemm.configure(problem(order, output, 2048, 2048, 512));
    int m = large.tileM();
    int n = large.tileN();
    var p = problem(order, output, m, n, k);
    var fit = new GemmConfig.Fit(large.aKMajor() ? k : m, large.bKMajor() ? k : n, n, k % large.tileK() == 0);
    var config = new GemmConfig(large.operand(), output, large.aKMajor(), large.bKMajor(), m, n, large.tileK(),
        large.warpsM(), large.warpsN(), large.stages(), large.vectorA(), large.vectorB(), large.vectorC(), large.band(),
        Optional.of(fit));
    var row = Verification.verify(GemmCases.gemm("sm80_gemm", "sm80", p, () -> Gemm.sm80(p, config), order,
        Set.of("sim"), true, 1), new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(0, row.findings());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TN", "NT"})
  void areAssembledWithoutSpills(String order) {
    var p = problem(order, ElementType.BF16, 4096, 4096, 4096);
    assertTrue(Gemm.configure(p).fit().isPresent());
    switch (ASSEMBLER.assemble(Gemm.sm80(p).kernel().ptx(), "sm_90a")) {
      case Assembly.Assembled assembled ->
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
