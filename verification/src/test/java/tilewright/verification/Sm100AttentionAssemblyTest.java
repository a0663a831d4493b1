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
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.BlackwellAttention;

/** What the assembler says of Blackwell attention: no registers spilled, no warnings. */
class Sm100AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  static Stream<Arguments> problems() {
    return Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0)).flatMap(band -> Stream.of(
        Arguments.of(ElementType.BF16, 64, band), Arguments.of(ElementType.BF16, 128, band),
        Arguments.of(ElementType.F16, 128, band)));
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("problems")
  void isAssembledWithoutSpillsAndWarnings(ElementType type, int dim, Band band) {
    var problem = AttentionProblem.dense(type, Sizes.of(1, 4096, 4096, 1, dim)).with(band);
    var kernel = new BlackwellAttention().prepare(problem).kernel();
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
