package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.attention.TileMask;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.backend.SimulatorBackend;
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
    return of(sequence, setup, Optional.empty());
  }

  /** Like {@link #of(LaunchSequence, AttentionBackwardCases.Setup)}, with lists of tiles where blocks are skipped. */
  static MutationTrial of(LaunchSequence sequence, AttentionBackwardCases.Setup setup, Optional<TileMask> lists) {
    var trial = MutationTrial.onCopies(sequence.launches().get(1), prepared(sequence, setup, lists));
    var expected = trial.buffers().get();
    Simulator.load(trial.module()).run(trial.launch().on(expected), SimulatorOptions.defaults());
    var ordered = setup.problem().deterministic() ? trial.withOrderedReductions("dQaccum") : trial;
    return ordered.withCheck(actual -> OUTPUTS.stream()
        .filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0)
        .findFirst().map(name -> name + " differs"));
  }

  /** Buffers behind the launch that prepares rows. */
  private static Map<String, MemorySegment> prepared(LaunchSequence sequence, AttentionBackwardCases.Setup setup,
      Optional<TileMask> lists) {
    var buffers = new HashMap<>(Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(setup, SEED)));
    var captures = setup.problem().forward().modification().captures();
    captures.differentiated().forEach(name -> buffers.put("d" + name, Buffers.zeros(ElementType.F32,
        captures.gradient(name).extents().stream().reduce(1L, Math::multiplyExact))));
    lists.ifPresent(mask -> {
      mask.elements().forEach((name, count) -> buffers.put(name, Buffers.poisoned(ElementType.I32, count)));
      for (var launch : mask.launches()) {
        assertEquals(List.of(), new SimulatorBackend(1).run(launch.on(buffers)).findings());
      }
    });
    var first = sequence.launches().getFirst().on(buffers);
    assertEquals(List.of(), Simulator.load(first.ptx()).run(first, SimulatorOptions.defaults()).findings());
    return buffers;
  }
}
