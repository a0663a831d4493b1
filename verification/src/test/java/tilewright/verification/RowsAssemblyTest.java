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
  @CsvSource({"H200, 36864, f32, f32", "B200, 36004, f32, f32", "RTX5090, 131064, f16, f32",
      "A100, 66000, bf16, narrow", "H200, 131064, f16, narrow"})
  void longRowsThatAWholeNumberOfStepsDoesNotCoverDoNotSpill(Chip chip, String columns, String type,
      String accumulator) {
    assertSpillsNothing(chip, "gemv", Map.of("n", columns, "dtype", type, "acc", accumulator));
  }

  /** An SM of a GeForce has room for 1536 threads; that of the oldest for 16 CTAs. */
  @ParameterizedTest
  @CsvSource({"RTX4090, row_max, 16384, f32", "RTX5090, row_min, 16384, f16", "RTX4090, row_sum, 65536, f16",
      "RTX3090, gemv, 32768, f32", "RTX3090, layer_norm, 128, f16"})
  void launchBoundsAskForNoMoreCtasThanAnSmHasRoomFor(Chip chip, String name, String columns, String type) {
    assertSpillsNothing(chip, name, Map.of("n", columns, "dtype", type));
  }

  private static void assertSpillsNothing(Chip chip, String name, Map<String, String> settings) {
    var family = KernelRegistry.builtIn().on(chip.capability()).family(name).orElseThrow();
    var kernel = family.prepare(family.defaults().with(settings)).kernel();
    switch (new ChipAssembler(Optional.of(chip)).assemble(kernel.ptx())) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList(),
            name + " " + settings);
        assertEquals(List.of(), assembled.warnings(), name + " " + settings);
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
