package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.numerics.ElementType;

/** Assembles SM80 attention in the tiles of every head dimension. */
class AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  /** The bytes spilled for Hopper at head dimensions whose accumulators leave few registers. */
  private static final Map<Integer, Integer> SPILLED_ON_HOPPER = Map.of(96, 48, 128, 16);
  private static final Map<Integer, Integer> SPILLED_GRADIENTS_ON_HOPPER = Map.of(128, 12);

  @ParameterizedTest(name = "head dimension {0}")
  @ValueSource(ints = {32, 64, 96, 128, 192, 256})
  void noRegistersAreSpilledOnTheKernelsOwnTargetAndFewOnHopper(int dim) {
    var sizes = Sizes.of(1, 4096, 4096, 2048 / dim, dim);
    for (var band : List.of(Band.ALL, Band.CAUSAL)) {
      var problem = AttentionProblem.dense(ElementType.BF16, sizes).with(band);
      var kernel = new Sm80AttentionKernel().prepare(problem).kernel();
      assertSpills(kernel, "sm_80", 0);
      assertSpills(kernel, "sm_90", SPILLED_ON_HOPPER.getOrDefault(dim, 0));
    }
  }

  @ParameterizedTest(name = "head dimension {0}")
  @ValueSource(ints = {32, 64, 96, 128, 192, 256})
  void gradientsSpillNoRegistersOnTheirOwnTargetAndFewOnHopper(int dim) {
    var sizes = Sizes.of(1, 4096, 4096, 2048 / dim, dim);
    for (var band : List.of(Band.ALL, Band.CAUSAL)) {
      for (boolean deterministic : new boolean[] {false, true}) {
        var problem = AttentionBackwardProblem.dense(AttentionProblem.dense(ElementType.BF16, sizes).with(band))
            .deterministic(deterministic);
        for (var launch : new Sm80AttentionBackwardKernel().prepare(problem).launches()) {
          assertSpills(launch.kernel(), "sm_80", 0);
          assertSpills(launch.kernel(), "sm_90", SPILLED_GRADIENTS_ON_HOPPER.getOrDefault(dim, 0));
        }
      }
    }
  }

  @ParameterizedTest(name = "head dimension {0}")
  @ValueSource(ints = {32, 64, 96, 128, 192, 256})
  void gradientsOfPackedSequencesInOrderSpillNoRegistersOnTheirOwnTarget(int dim) {
    var packed = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 4096, 4096, 2048 / dim, dim))
        .with(new Packed("cuQ", "cuK", 4, 2048));
    for (var band : List.of(Band.ALL, Band.CAUSAL, Band.window(512, 0))) {
      var problem = AttentionBackwardProblem.dense(packed.with(band)).deterministic(true);
      assertSpills(new Sm80AttentionBackwardKernel().prepare(problem).launches().get(1).kernel(), "sm_80", 0);
    }
  }

  private static void assertSpills(CompiledKernel kernel, String target, int most) {
    switch (ASSEMBLER.assemble(kernel.ptx(), target)) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        int spilled = assembled.resources().getFirst().spillStoreBytes();
        assertTrue(spilled <= most, () -> spilled + " bytes spilled on " + target);
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
