package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchSequence;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.Buffers;

/** Trials of the launch that computes attention's gradients, between those that prepare rows and convert dQ. */
final class GradientsTrial {
  private static final long SEED = 3;
  private static final List<String> OUTPUTS = List.of("dK", "dV", "dQaccum");

  private GradientsTrial() {}

  /**
   * Notices other bits than the kernel itself gives, whose additions to a tile of dQ must not depend on a schedule. In
   * the deterministic mode it also notices additions in an order that nothing fixes.
   */
  static MutationTrial of(LaunchSequence sequence, AttentionBackwardCases.Setup setup) {
    var trial = MutationTrial.onCopies(sequence.launches().get(1), prepared(sequence, setup));
    var expected = trial.buffers().get();
    Simulator.load(trial.module()).run(trial.launch().on(expected), SimulatorOptions.defaults());
    var ordered = setup.problem().deterministic() ? trial.withOrderedReductions("dQaccum") : trial;
    return ordered.withCheck(actual -> OUTPUTS.stream()
        .filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0)
        .findFirst().map(name -> name + " differs"));
  }

  /** Buffers behind the launch that prepares rows. */
  private static Map<String, MemorySegment> prepared(LaunchSequence sequence, AttentionBackwardCases.Setup setup) {
    var buffers = Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(setup, SEED));
    var first = sequence.launches().getFirst().on(buffers);
    assertEquals(List.of(), Simulator.load(first.ptx()).run(first, SimulatorOptions.defaults()).findings());
    return buffers;
  }
}
