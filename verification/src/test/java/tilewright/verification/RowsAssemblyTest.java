package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;

/** Assembles kernels on the longest rows that registers hold, for every GPU: without spills. */
class RowsAssemblyTest {
  @ParameterizedTest
  @EnumSource
  void theLongestRowsOf16BitsDoNotSpill(Chip chip) {
    var registry = KernelRegistry.builtIn().on(chip.capability());
    var assembler = new ChipAssembler(Optional.of(chip));
    var spills = new ArrayList<String>();
    for (var name : List.of("layer_norm", "rms_norm")) {
      for (var accumulator : List.of("f32", "narrow")) {
        var family = registry.family(name).orElseThrow();
        var choice = family.defaults().with(Map.of("n", "65536", "dtype", "bf16", "acc", accumulator));
        switch (assembler.assemble(family.prepare(choice).kernel().ptx())) {
          case Assembly.Assembled assembled -> assembled.resources().stream().filter(r -> r.spillStoreBytes() > 0)
              .forEach(r -> spills.add(r.entry() + ": " + r.spillStoreBytes()));
          case Assembly.Rejected rejected -> fail(rejected.log());
          case Assembly.Unavailable missing -> abort(missing.reason());
        }
      }
    }
    assertEquals(List.of(), spills);
  }
}
