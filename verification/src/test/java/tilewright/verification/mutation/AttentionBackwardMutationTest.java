package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.kernels.attention.backward.Sm80BackwardConfig.Shape;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/** SM80 gradients with one piece of their synchronisation wrong, in small tiles of two warps. */
class AttentionBackwardMutationTest {
  private static final long SEED = 3;
  private static final List<String> OUTPUTS = List.of("dK", "dV", "dQaccum");

  /** Two blocks of keys add to a tile of dQ in any order, and four in theirs: it matters from three on. */
  private record Form(Band band, int stages, boolean deterministic) {
    MutationTrial trial() {
      var sizes = Sizes.of(1, 96, deterministic ? 100 : 60, 1, 32);
      var setup = AttentionBackwardCases.setup(AttentionCases.band(ElementType.BF16, sizes, band), deterministic);
      var sequence = Sm80AttentionBackwardKernel.prepare(setup.problem(), new Shape(32, 32, 32, 32, 2, 2, 2, 2, stages,
          1));
      var inputs = prepared(sequence, setup);
      var trial = MutationTrial.of(sequence.launches().get(1), () -> copies(inputs));
      var expected = copies(inputs);
      Simulator.load(trial.module()).run(trial.launch().on(expected), SimulatorOptions.defaults());
      return trial.withCheck(actual -> OUTPUTS.stream().filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0)
          .findFirst().map(name -> name + " differs"));
    }
  }

  static Stream<Form> forms() {
    return Stream.of(new Form(Band.CAUSAL, 2, false), new Form(Band.ALL, 1, false), new Form(Band.CAUSAL, 2, true),
        new Form(Band.ALL, 1, true));
  }

  static Stream<Form> deterministicForms() {
    return forms().filter(Form::deterministic);
  }

  /** Buffers behind the launch that prepares rows. */
  private static Map<String, MemorySegment> prepared(LaunchSequence sequence, AttentionBackwardCases.Setup setup) {
    var buffers = Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(setup, SEED));
    var first = sequence.launches().getFirst().on(buffers);
    assertEquals(List.of(), Simulator.load(first.ptx()).run(first, SimulatorOptions.defaults()).findings());
    return buffers;
  }

  private static Map<String, MemorySegment> copies(Map<String, MemorySegment> buffers) {
    var copies = new HashMap<String, MemorySegment>();
    buffers.forEach((name, buffer) -> copies.put(name, MemorySegment.ofArray(buffer.toArray(ValueLayout.JAVA_BYTE))));
    return copies;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void theKernelItselfIsCleanAndGivesTheSameBitsUnderEverySchedule(Form form) {
    form.trial().assertTheKernelItselfIsClean();
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aMissingBarrierIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aWeakerWaitIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withAWeakerWait);
  }

  @ParameterizedTest
  @MethodSource("deterministicForms")
  void aWeakerTurnIsNoticed(Form form) {
    form.trial().assertNoticed(Mutations::withAWeakerFlag);
  }
}
