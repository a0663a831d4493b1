package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.bench.Benchmark;

/** Assembles SM80 attention in the tiles of every head dimension. */
class AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  /** A sample of the forms has the first and the third of them, whose registers are shortest. */
  private static final List<Integer> DIMS = List.of(128, 32, 96, 64, 192, 256);

  static List<Arguments> forms() {
    return LongSuite.of(Stream.of(Band.ALL, Band.CAUSAL).flatMap(band -> DIMS.stream()
        .map(dim -> Arguments.of(dim, band))).toList());
  }

  @ParameterizedTest(name = "head dimension {0}, {1}")
  @MethodSource("forms")
  void noRegistersAreSpilledOnTheKernelsOwnTargetOnHopperAndOnSm100(int dim, Band band) {
    for (int capability : new int[] {80, 90, 100}) {
      var problem = problem(dim, band);
      var sinks = problem.withSinks("sinks");
      for (var form : capability == 80 || LongSuite.EVERY_CASE ? List.of(problem, sinks) : List.of(problem)) {
        var kernel = new Sm80AttentionKernel().on(capability).prepare(form).kernel();
        assertSpillsNothing(kernel, "sm_" + capability);
      }
    }
  }

  /** V by columns, whose keys are copied in vectors, or one by one where columns are an odd number of keys apart. */
  @ParameterizedTest(name = "head dimension {0} on {1}, columns of {2} keys")
  @CsvSource({"96, 80, 4096", "128, 80, 4096", "128, 90, 4096", "256, 80, 4097", "256, 120, 4097", "512, 80, 4096",
      "512, 90, 4096", "512, 86, 4096", "1024, 86, 4096"})
  void valuesByColumnsSpillNoRegisters(int dim, int capability, int room) {
    for (var band : LongSuite.of(List.of(Band.CAUSAL, Band.ALL, Band.window(512, 0)))) {
      var rows = problem(dim, band);
      var s = rows.sizes();
      var problem = rows.at(rows.q(), rows.k(), View.bhds("V", s.keyHeads(), s.valueDim(), room), rows.o());
      assertSpillsNothing(new Sm80AttentionKernel().on(capability).prepare(problem).kernel(), "sm_" + capability);
    }
  }

  /** Latent attention's dimensions. */
  @ParameterizedTest
  @CsvSource({"100, true, false", "120, true, false", "120, false, true", "103, true, false"})
  void valuesWithFewerColumnsThanKeysSpillNoRegisters(int capability, boolean packed, boolean window) {
    var dense = AttentionProblem.dense(ElementType.BF16, new Sizes(1, 4096, 4096, 2, 1, 192, 128))
        .with(window ? Band.window(512, 0) : Band.CAUSAL);
    var problem = packed ? dense.with(new Packed("cuQ", "cuK", 4, 2048)) : dense;
    assertSpillsNothing(new Sm80AttentionKernel().on(capability).prepare(problem).kernel(), "sm_" + capability);
  }

  @Test
  void alignedColumnsOfValuesAreCopiedInVectorsAndLoadedAsTheyLie() {
    var rows = problem(512, Band.ALL);
    var columns = rows.at(rows.q(), rows.k(), View.bhds("V", 4, 512, 4096), rows.o());
    for (var ptx : Stream.of(rows, columns).map(p -> new Sm80AttentionKernel().prepare(p).kernel().ptx()).toList()) {
      assertFalse(ptx.contains("ld.global.b16"), "elements are copied one by one");
    }
    assertFalse(new Sm80AttentionKernel().prepare(columns).kernel().ptx().contains(".trans."));
  }

  /** Head dimensions of FFPA in the tiles that each GPU holds. */
  @ParameterizedTest(name = "head dimension {0} on {1}")
  @CsvSource({"320, 80, 166912", "448, 80, 166912", "504, 80, 166912", "512, 80, 166912", "1024, 80, 166912",
      "320, 90, 232448", "512, 90, 232448", "576, 90, 232448", "1024, 90, 232448", "320, 86, 101376", "448, 86, 101376",
      "512, 86, 101376", "1024, 86, 101376", "512, 120, 101376", "1024, 120, 101376"})
  void wideHeadsFitAGpuAndSpillNoRegisters(int dim, int capability, int sharedBytes) {
    for (var band : LongSuite.of(List.of(Band.CAUSAL, Band.ALL, Band.window(512, 0)))) {
      var kernel = new Sm80AttentionKernel().on(capability).prepare(problem(dim, band)).kernel();
      assertTrue(kernel.dynamicSharedBytes() <= sharedBytes, () -> "head dimension " + dim);
      assertSpillsNothing(kernel, "sm_" + capability);
    }
  }

  static List<Arguments> gradients() {
    return LongSuite.of(Stream.of(Band.ALL, Band.CAUSAL).flatMap(band -> Stream.of(false, true)
        .flatMap(deterministic -> DIMS.stream().map(dim -> Arguments.of(dim, band, deterministic)))).toList());
  }

  @ParameterizedTest(name = "head dimension {0}, {1}, in order: {2}")
  @MethodSource("gradients")
  void gradientsSpillNoRegistersOnTheirOwnTargetOnHopperAndOnSm100(int dim, Band band, boolean deterministic) {
    var problem = AttentionBackwardProblem.dense(problem(dim, band)).deterministic(deterministic);
    for (int capability : new int[] {80, 90, 100}) {
      for (var launch : new Sm80AttentionBackwardKernel().on(capability).prepare(problem).launches()) {
        assertSpillsNothing(launch.kernel(), "sm_" + capability);
      }
    }
  }

  @Test
  void gradientsOfPackedSequencesSpillNoRegistersOnSm100() {
    assertGradientsSpillNothing(AttentionBackwardProblem.dense(
        problem(128, Band.ALL).with(new Packed("cuQ", "cuK", 4, 2048))), 100);
  }

  @ParameterizedTest(name = "in order: {0}, packed: {1}")
  @CsvSource({"false,false", "true,false", "false,true", "true,true"})
  void gradientsInHoppersSharedMemorySpillNoRegisters(boolean deterministic, boolean packed) {
    for (var band : LongSuite.of(List.of(Band.CAUSAL, Band.ALL))) {
      var dense = problem(256, band);
      var problem = packed ? dense.with(new Packed("cuQ", "cuK", 4, 2048)) : dense;
      var launch = new Sm80AttentionBackwardKernel().on(90)
          .prepare(AttentionBackwardProblem.dense(problem).deterministic(deterministic)).launches().get(1);
      assertSpillsNothing(launch.kernel(), "sm_90");
    }
  }

  @ParameterizedTest
  @CsvSource({"80, 166912", "90, 232448"})
  void gradientsFitTheSharedMemoryOfAGpu(int capability, int sharedBytes) {
    for (int dim : DIMS) {
      for (boolean deterministic : List.of(false, true)) {
        var launch = new Sm80AttentionBackwardKernel().on(capability).prepare(AttentionBackwardProblem
            .dense(problem(dim, Band.ALL)).deterministic(deterministic)).launches().get(1);
        assertTrue(launch.kernel().dynamicSharedBytes() <= sharedBytes, () -> "head dimension " + dim);
      }
    }
  }

  /** The forward pass that O and LSE come from when gradients are timed. */
  @ParameterizedTest
  @ValueSource(ints = {89, 100})
  void theForwardPassBeforeTimedGradientsIsInTheTilesOfTheGpu(int capability) {
    var registry = KernelRegistry.builtIn().on(capability);
    var forward = Benchmark.configurations(registry, "sm80_attention_backward"::equals, List.of()).stream()
        .flatMap(configuration -> configuration.kernels().stream()).map(List::getFirst)
        .filter(kernel -> kernel.name().equals("sm80_attention_bf16_d128")).distinct().toList();
    assertFalse(forward.isEmpty());
    forward.forEach(kernel -> assertSpillsNothing(kernel, "sm_" + capability));
  }

  @ParameterizedTest
  @ValueSource(ints = {86, 89, 120})
  void tilesForAGeForceFitItAndSpillNoRegisters(int capability) {
    for (int dim : LongSuite.of(DIMS)) {
      for (var band : LongSuite.of(List.of(Band.CAUSAL, Band.ALL))) {
        var problem = problem(dim, band);
        var gradients = new Sm80AttentionBackwardKernel().on(capability)
            .prepare(AttentionBackwardProblem.dense(problem)).launches().get(1);
        for (var launch : List.of(new Sm80AttentionKernel().on(capability).prepare(problem), gradients)) {
          assertTrue(launch.kernel().dynamicSharedBytes() <= 101376, () -> "head dimension " + dim);
          assertSpillsNothing(launch.kernel(), "sm_" + capability);
        }
      }
    }
  }

  static List<Arguments> packed() {
    return LongSuite.of(DIMS.stream().flatMap(dim -> Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0))
        .map(band -> Arguments.of(dim, band))).toList());
  }

  @ParameterizedTest(name = "head dimension {0}, {1}")
  @MethodSource("packed")
  void gradientsOfPackedSequencesSpillNoRegistersOnTheirOwnTargetAndOnHopper(int dim, Band band) {
    var problem = AttentionBackwardProblem.dense(problem(dim, band).with(new Packed("cuQ", "cuK", 4, 2048)));
    assertGradientsSpillNothing(problem.deterministic(true), 80);
    for (boolean deterministic : List.of(false, true)) {
      assertGradientsSpillNothing(problem.deterministic(deterministic), 90);
    }
  }

  private static void assertGradientsSpillNothing(AttentionBackwardProblem problem, int capability) {
    var launch = new Sm80AttentionBackwardKernel().on(capability).prepare(problem).launches().get(1);
    assertSpillsNothing(launch.kernel(), "sm_" + capability);
  }

  private static AttentionProblem problem(int dim, Band band) {
    return AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 4096, 4096, 2048 / dim, dim)).with(band);
  }

  private static void assertSpillsNothing(CompiledKernel kernel, String target) {
    switch (ASSEMBLER.assemble(kernel.ptx(), target)) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes(), () -> "bytes spilled on " + target);
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
