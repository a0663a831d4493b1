package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.Chip;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.FamilyCases;
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

  /** All of the catalogue but Hopper's clusters, and 8-bit floats before there were instructions for them. */
  @ParameterizedTest
  @MethodSource("all")
  void everyVariantAndExtentOfTheCatalogueRuns(Chip chip) {
    int capability = chip.capability();
    var others = new ArrayList<String>();
    for (var family : KernelRegistry.builtIn().on(capability).families()) {
      var sized = family.awkward().stream().map(extents -> family.sized(family.variants().getFirst(), extents));
      for (var choice : Stream.concat(family.variants().stream(), sized).toList()) {
        var target = family.target(choice);
        if (!target.runsOn(capability) && !(capability < 89 && target.equals(Target.SM89))) {
          others.add(family.name() + " " + choice + ": " + target.architecture());
        }
      }
    }
    assertEquals(List.of(), others);
  }

  static Stream<Chip> all() {
    return Stream.of(Chip.values());
  }

  @Test
  void aHeadDimensionBeyondAGpusSharedMemoryIsRefusedWithTheMostThatFits() {
    var family = KernelRegistry.builtIn().on(Chip.RTX4090.capability()).family("attention_split_kv").orElseThrow();
    var refused = family.defaults().with(Map.of("d", "256"));
    assertEquals("d=256 needs more shared memory than the 101376 bytes that a CTA has: with these settings d is at most"
        + " 224", assertThrows(IllegalArgumentException.class, () -> family.requireSupported(refused)).getMessage());
    family.requireSupported(family.defaults().with(Map.of("d", "224")));
    assertEquals(224, family.awkward().stream().mapToInt(List::getLast).max().orElseThrow());
  }

  /** A kernel of 8-bit floats, and rows that Hopper would stream, on a GPU before and one after Hopper. */
  @ParameterizedTest
  @CsvSource({"RTX4090, sum", "RTX5090, quantize_heads", "B200, append_cache", "RTX4090, softmax"})
  void whatHopperHasAKernelOfItsOwnForRunsElsewhere(Chip chip, String name) {
    var family = KernelRegistry.builtIn().on(chip.capability()).family(name).orElseThrow();
    var settings = switch (name) {
      case "sum" -> Map.of("n", "4099", "dtype", "e4m3");
      case "append_cache" -> Map.of("b", "2", "s", "2", "sk", "33", "d", "64", "r", "32", "cache", "e4m3-tokens");
      case "softmax" -> Map.of("m", "2", "n", "32768", "dtype", "f16");
      default -> Map.of("s", "70", "h", "1");
    };
    var c = FamilyCases.one(family, family.defaults().with(settings), 1);
    var row = Verification.verify(c, SimulatorBackend.of(3, chip), new AssemblyCheck(Optional.of(chip)));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
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
