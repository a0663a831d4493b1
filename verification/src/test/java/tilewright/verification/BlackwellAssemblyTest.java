package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.BlackwellGemm;

/** What the assembler says of the Blackwell GEMM on every rung: no registers spilled, no warnings. */
class BlackwellAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  static Stream<Arguments> configurations() {
    var ordered = Stream.of("TN", "NN", "TT", "NT")
        .map(order -> Arguments.of(ElementType.BF16, ElementType.BF16, order));
    var others = Stream.of(Arguments.of(ElementType.F16, ElementType.F16, "TN"),
        Arguments.of(ElementType.BF16, ElementType.F32, "TN"));
    return Stream.concat(ordered, others).flatMap(form -> BlackwellGemm.rungs().stream()
        .map(rung -> Arguments.of(form.get()[0], form.get()[1], form.get()[2], rung)));
  }

  @ParameterizedTest(name = "{0} to {1}, {2}, {3}")
  @MethodSource("configurations")
  void isAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output, String order, String rung) {
    var problem = GemmProblem.packed(operand, output, 4096, 4096, 4096, 1, order);
    var kernel = BlackwellGemm.prepare(problem, rung).kernel();
    switch (ASSEMBLER.assemble(kernel.ptx(), "sm_100a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
