package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;
import tilewright.verification.LongSuite;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;

/**
 * Blackwell's gradients with one piece of their synchronisation wrong. CTAs have so many tiles of queries that every
 * ring wraps, and odd and even numbers of them, since the parities of the waits behind the loop depend on that.
 */
class Sm100AttentionBackwardMutationTest {
  private static final int SEEDS = 4;
  /** Waits that a thread passes once: for K, for V, and for complete dK and dV. */
  private static final int PASSED_ONCE = 3;
  /** Chunks of dQ in shared memory. */
  private static final int STAGING = 2;
  /** Of the MMA warp's waits, from the last but one backwards: for P, and until dV has been added to. */
  private static final int P_FULL = 1;
  private static final int DV_ADDED = 5;

  /** In any order, where two CTAs add to a tile, which gives the same bits in any; and in a fixed one. */
  enum Form {
    NARROW(Band.ALL, false, new Sizes(1, 300, 140, 1, 1, 32, 32), new Sizes(1, 300, 140, 2, 1, 32, 32)),
    WIDE(Band.CAUSAL, false, new Sizes(1, 260, 100, 1, 1, 136, 32), new Sizes(1, 360, 100, 3, 1, 136, 32)),
    PAIR(Band.ALL, false, new Sizes(1, 300, 200, 1, 1, 72, 32), new Sizes(1, 300, 200, 2, 1, 72, 32)),
    DETERMINISTIC(Band.CAUSAL, true, new Sizes(1, 400, 300, 1, 1, 32, 32)),
    /** Tiles from lists, and the gradient of data that the function reads. */
    CAPTURED(new Sizes(1, 300, 140, 1, 1, 32, 32), new Sizes(1, 300, 140, 2, 1, 32, 32)),
    CAPTURED_PAIR(new Sizes(1, 300, 200, 1, 1, 72, 32), new Sizes(1, 300, 200, 2, 1, 72, 32));

    private final boolean deterministic;
    private final boolean captured;
    private final List<MutationTrial> trials;

    Form(Band band, boolean deterministic, Sizes... sizes) {
      this.deterministic = deterministic;
      captured = false;
      trials = Stream.of(sizes).map(s -> trial(s, band, deterministic)).toList();
    }

    Form(Sizes... sizes) {
      deterministic = false;
      captured = true;
      trials = Stream.of(sizes).map(Form::captured).toList();
    }

    private static MutationTrial captured(Sizes sizes) {
      var setup = CapturedForms.gradients(AttentionProblem.dense(ElementType.BF16, sizes), new int[0], new int[0]);
      var kernel = new Sm100AttentionBackwardKernel();
      var trial = GradientsTrial.of(kernel.prepare(setup.problem()), setup,
          Optional.of(kernel.tileMask(setup.problem())));
      return trial.withSeeds(SEEDS).exceptFor(HarmlessMutants.whereWarpsAreTogether(trial.launch()))
          .exceptFor(harmless(trial.launch(), false, false));
    }

    private static MutationTrial trial(Sizes sizes, Band band, boolean deterministic) {
      var setup = AttentionBackwardCases.setup(AttentionCases.band(ElementType.BF16, sizes, band), deterministic);
      var trial = GradientsTrial.of(new Sm100AttentionBackwardKernel().prepare(setup.problem()), setup);
      return trial.withSeeds(SEEDS).exceptFor(HarmlessMutants.whereWarpsAreTogether(trial.launch()))
          .exceptFor(harmless(trial.launch(), deterministic, sizes.headDim() > 128));
    }

    private Flaw[] flaws() {
      var flaws = new ArrayList<>(List.of(Flaw.MISSING_SIGNAL, Flaw.MISSING_TENSOR_SIGNAL, Flaw.MISSING_BARRIER,
          Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES));
      if (deterministic) flaws.add(Flaw.WEAKER_FLAG);
      return flaws.toArray(Flaw[]::new);
    }
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return Stream.of(Form.values()).filter(form -> LongSuite.EVERY_CASE || !form.captured)
        .map(form -> DynamicContainer.dynamicContainer(form.name(), MutationTrial.tests(form.trials,
            Sm100AttentionBackwardMutationTest::judge, LongSuite::of, form.flaws())));
  }

  private static void judge(Flaw flaw, List<Mutant> missed) {
    var changes = missed.stream().map(Mutant::change).toList();
    if (flaw != Flaw.FROZEN_PHASE) {
      assertEquals(List.of(), changes);
      return;
    }
    assertTrue(missed.size() <= PASSED_ONCE, changes::toString);
    assertTrue(changes.stream().allMatch(change -> change.startsWith("fixed the parity at 0")), changes::toString);
  }

  /**
   * Mutants that are no mistakes, or that only an SM would notice.
   *
   * <ul>
   * <li>The load warp's last wait: a stage of dO is free if Q's is, as one CTA has as many of them.
   * <li>The end of the copies of dK and dV, whose shared memory the simulator keeps.
   * <li>Behind the last dQ the wait until it has been read.
   * <li>In a fixed order, the waits for the stages of a tile's first chunks of dQ, with the warp's barriers behind
   * them, and the wait at the end: all chunks of the tile before have been added. The end of the first chunk's copies,
   * which that of the second's, a tile's last, is, too.
   * <li>Above head dimension 128, the MMA warp's wait until dV has been added to, in front of the next scores: dK is
   * added to later, and that has been waited for. The fence between dPᵀ and dV, with no wait in front.
   * </ul>
   */
  private static Predicate<Mutant> harmless(PreparedLaunch launch, boolean deterministic, boolean wide) {
    var lines = launch.kernel().ptx().lines().toList();
    int stored = last(lines, lines.size(), "cp.async.bulk.tensor.4d.global");
    int multiplied = last(lines, lines.size(), "tcgen05.mma");
    int read = next(lines, multiplied, "mbarrier.try_wait");
    var numbers = Stream.of(next(lines, stored, "cp.async.bulk.commit_group"),
        next(lines, stored, "cp.async.bulk.wait_group.read"), read).collect(Collectors.toSet());
    if (launch.kernel().cluster().equals(Dim3.ONE)) {
      numbers.add(last(lines, last(lines, lines.size(), ".shared::cluster.global.tile"), "mbarrier.try_wait"));
    }
    if (deterministic) {
      int reduced = last(lines, next(lines, 0, "cp.reduce.async.bulk"), "cp.async.bulk.wait_group.read");
      for (int chunk = 0; chunk < STAGING; chunk++) {
        numbers.add(reduced);
        numbers.add(next(lines, reduced, "bar.warp.sync"));
        reduced = next(lines, reduced + 1, "cp.async.bulk.wait_group.read");
      }
      numbers.add(last(lines, lines.size(), "cp.async.bulk.wait_group.read"));
      numbers.add(next(lines, next(lines, 0, "cp.reduce.async.bulk"), "cp.async.bulk.commit_group"));
    }
    if (wide) {
      var waits = IntStream.range(0, read).filter(i -> lines.get(i).contains("mbarrier.try_wait")).boxed().toList()
          .reversed();
      numbers.add(waits.get(DV_ADDED));
      int pFull = waits.get(P_FULL);
      numbers.add(next(lines, next(lines, pFull, "tcgen05.commit"), "tcgen05.fence::after_thread_sync"));
    }
    return mutant -> numbers.stream().anyMatch(line -> isAt(mutant, line));
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
}
