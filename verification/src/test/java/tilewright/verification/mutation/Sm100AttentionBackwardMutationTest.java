package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/**
 * Blackwell's gradients with one piece of their synchronisation wrong: one CTA has five tiles of queries of two heads,
 * so that every ring wraps. Phases are not mutated: behind the loop a wait has the parity of this problem alone.
 */
class Sm100AttentionBackwardMutationTest {
  private static final long SEED = 5;
  private static final List<String> OUTPUTS = List.of("dK", "dV", "dQaccum");

  /** In any order, where two CTAs add to a tile, which gives the same bits in any; and in a fixed one. */
  enum Form {
    NARROW(new Sizes(1, 300, 140, 2, 1, 32, 32), Band.ALL, false),
    WIDE(new Sizes(1, 260, 100, 1, 1, 136, 32), Band.CAUSAL, false),
    DETERMINISTIC(new Sizes(1, 600, 520, 1, 1, 32, 32), Band.CAUSAL, true);

    private final MutationTrial trial;

    Form(Sizes sizes, Band band, boolean deterministic) {
      var setup = AttentionBackwardCases.setup(AttentionCases.band(ElementType.BF16, sizes, band), deterministic);
      var sequence = new Sm100AttentionBackwardKernel().prepare(setup.problem());
      var launch = sequence.launches().get(1);
      var inputs = prepared(sequence, setup);
      var plain = MutationTrial.onCopies(launch, inputs).withSeeds(4)
          .exceptFor(HarmlessMutants.whereWarpsAreTogether(launch)).exceptFor(harmless(launch, deterministic));
      var expected = plain.buffers().get();
      Simulator.load(plain.module()).run(launch.on(expected), SimulatorOptions.defaults());
      trial = plain.withCheck(actual -> OUTPUTS.stream()
          .filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0).findFirst()
          .map(name -> name + " differs"));
    }
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return Stream.of(Form.values()).map(form -> DynamicContainer.dynamicContainer(form.name(),
        form.trial.tests(Flaw.MISSING_SIGNAL, Flaw.MISSING_TENSOR_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT,
            Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES)));
  }

  /**
   * Mutants that are no mistakes, or that only an SM would notice.
   *
   * <ul>
   * <li>The compute warps' first wait, for rows' statistics, which are there if S is; the load warp's last, for dO's
   * stage, which is free if Q's is, as there are as many.
   * <li>The end of the copies of dK and dV, whose shared memory the simulator keeps.
   * <li>In front of the last dQ the release of Q, and behind it the wait until it has been read.
   * <li>In a fixed order, the wait until a chunk of dQ has been read: all writes of the tile before are complete. That
   * wait for writes lets one more group pass in the mutant, which four schedules have not told apart.
   * </ul>
   */
  private static Predicate<Mutant> harmless(PreparedLaunch launch, boolean deterministic) {
    var lines = launch.kernel().ptx().lines().toList();
    int stored = last(lines, lines.size(), "cp.async.bulk.tensor.4d.global");
    int multiplied = last(lines, lines.size(), "tcgen05.mma");
    int complete = last(lines, multiplied, "tcgen05.commit");
    var numbers = Set.of(next(lines, 0, "mbarrier.try_wait"), next(lines, stored, "cp.async.bulk.commit_group"),
        next(lines, stored, "cp.async.bulk.wait_group.read"), last(lines, complete, "tcgen05.commit"),
        next(lines, multiplied, "mbarrier.try_wait"), last(lines, lines.size(), "mbarrier.try_wait"));
    return mutant -> numbers.stream().anyMatch(line -> isAt(mutant, line))
        || deterministic && mutant.change().contains("cp.async.bulk.wait_group");
  }

  private static boolean isAt(Mutant mutant, int line) {
    return mutant.change().contains(" line " + (line + 1) + ":");
  }

  private static int next(List<String> lines, int from, String what) {
    return IntStream.range(from, lines.size()).filter(i -> lines.get(i).contains(what)).findFirst().orElseThrow();
  }

  private static int last(List<String> lines, int before, String what) {
    return IntStream.range(0, before).filter(i -> lines.get(i).contains(what)).max().orElseThrow();
  }

  /** Buffers behind the launch that prepares rows. */
  private static Map<String, MemorySegment> prepared(LaunchSequence sequence, AttentionBackwardCases.Setup setup) {
    var buffers = Buffers.withWorkspace(sequence, AttentionBackwardCases.buffers(setup, SEED));
    var first = sequence.launches().getFirst().on(buffers);
    assertEquals(List.of(), Simulator.load(first.ptx()).run(first, SimulatorOptions.defaults()).findings());
    return buffers;
  }
}
