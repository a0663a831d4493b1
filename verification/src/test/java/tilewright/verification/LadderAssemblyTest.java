package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.sm90.ladder.LadderStep;

/** Assembles every step of the ladder: a step teaches its idea, not the cost of spills. */
class LadderAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  @ParameterizedTest
  @EnumSource
  void isAssembledWithoutSpillsAndWarnings(LadderStep step) {
    var ptx = step.prepare(step.problem(4096, 4096, 4096)).kernel().ptx();
    switch (ASSEMBLER.assemble(ptx, "sm_90a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
