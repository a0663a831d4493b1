package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.Chip;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.GemmCases;

/** Kernels on the GPUs that the simulator stands for. */
class ChipTest {
  private static final KernelDescription BLACKWELL = KernelRegistry.builtIn().find("sm100_gemm").orElseThrow();

  /** Those whose SMs have less shared memory than an A100's, of which builds without every case try one. */
  static Stream<Chip> small() {
    return LongSuite.of(List.of(Chip.RTX4090, Chip.RTX3090, Chip.RTX5090)).stream();
  }

  /** Every variant of every kernel that the GPU runs has a configuration within its CTAs' shared memory. */
  @ParameterizedTest
  @MethodSource("small")
  void everyKernelFitsASmallSm(Chip chip) {
    int held = chip.multiprocessor().ctaSharedBytes();
    assertEquals(99 * 1024, held);
    var tooLarge = new ArrayList<String>();
    for (var kernel : KernelRegistry.builtIn().on(chip.capability()).kernels()) {
      if (!kernel.target().runsOn(chip.capability())) continue;
      for (var variant : kernel.variants()) {
        int needed = kernel.sequenceFor(variant).launches().stream()
            .mapToInt(launch -> launch.kernel().dynamicSharedBytes()).max().orElse(0);
        if (needed > held) tooLarge.add(kernel.name() + " " + variant + ": " + needed);
      }
    }
    assertEquals(List.of(), tooLarge);
  }

  /** B300 runs what B200 does under its own target's name. */
  @Test
  void blackwellUltraRunsBlackwellsKernels() {
    assertTrue(BLACKWELL.target().runsOn(Chip.B300.capability()));
    var row = verify(ElementType.BF16, Chip.B300);
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertTrue(row.bitExact().orElseThrow());
  }

  @Test
  void blackwellUltraMultipliesNoIntegers() {
    assertEquals(Row.Status.PASS, verify(ElementType.I8, Chip.B200).status());
    var row = verify(ElementType.I8, Chip.B300);
    assertEquals(Row.Status.SKIPPED, row.status());
    assertTrue(row.reason().contains("kind::i8 needs .target sm_100a or sm_110a, not sm_103a"), row.reason());
  }

  private static Row verify(ElementType type, Chip chip) {
    var types = GemmTypes.of(type, GemmTypes.usualOutput(type));
    var c = GemmCases.one((GemmKernel) BLACKWELL, GemmProblem.packed(types, 72, 40, 80, 1, "TN"), 1);
    return Verification.verify(c, SimulatorBackend.of(3, chip), new AssemblyCheck(Optional.of(chip)));
  }
}
