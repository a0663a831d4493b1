package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;

/** Assembles kernels on long rows for the GPUs: without spills. */
class RowsAssemblyTest {
  @ParameterizedTest
  @EnumSource
  void theLongestRowsOf16BitsDoNotSpill(Chip chip) {
    for (var name : List.of("layer_norm", "rms_norm")) {
      for (var accumulator : List.of("f32", "narrow")) {
        assertSpillsNothing(chip, name, Map.of("n", "65536", "dtype", "bf16", "acc", accumulator));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"H200, 36864, f32, f32", "B200, 36004, f32, f32", "RTX5090, 131064, f16, f32", "A100, 66000, bf16, narrow",
      "H200, 131064, f16, narrow"})
  void longRowsThatAWholeNumberOfStepsDoesNotCoverDoNotSpill(Chip chip, String columns, String type,
      String accumulator) {
    assertSpillsNothing(chip, "gemv", Map.of("n", columns, "dtype", type, "acc", accumulator));
  }

  private static void assertSpillsNothing(Chip chip, String name, Map<String, String> settings) {
    var family = KernelRegistry.builtIn().on(chip.capability()).family(name).orElseThrow();
    var kernel = family.prepare(family.defaults().with(settings)).kernel();
    switch (new ChipAssembler(Optional.of(chip)).assemble(kernel.ptx())) {
      case Assembly.Assembled assembled -> assertEquals(List.of(0),
          assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList(), name + " " + settings);
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
