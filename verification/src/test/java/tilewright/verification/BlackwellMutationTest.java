package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.BlackwellGemm;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.UmmaTypes;

/**
 * The Blackwell GEMM on a pair of SMs with one piece of its synchronisation wrong: one pair computes four tiles, so
 * that both accumulators are used again, through a ring that wraps in each.
 */
class BlackwellMutationTest {
  private static final int M = 256;
  private static final int N = 256;
  private static final int K = 136;
  private static final int SEEDS = 20;
  private static final PreparedLaunch LAUNCH = launch();

  private static PreparedLaunch launch() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, M, N, K, 1, "TN");
    var config = new Sm100GemmConfig(UmmaTypes.of(problem.types()), true, true, 64, 2, 2, 2, 2, false, 8);
    var launch = BlackwellGemm.prepare(problem, config);
    return new PreparedLaunch(launch.kernel(), Dim3.of(2), launch.arguments());
  }

  private static SimulationResult run(PtxModule module, long seed) {
    var buffers = Map.of("A", bytes(2 * M * K), "B", bytes(2 * N * K), "C", bytes(2 * M * N));
    return Simulator.load(module).run(LAUNCH.on(buffers),
        SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertEquals(List.of(), run(LAUNCH.kernel().module(), seed).findings(), "seed " + seed);
    }
  }

  @Test
  void aMissingCommitFenceOrWaitOfTensorMemoryIsNoticed() {
    assertNoticed(Mutations::withoutATensorSignal);
  }

  @Test
  void aMissingSignalIsNoticed() {
    assertNoticed(Mutations::withoutASignal);
  }

  /** But for {@code bar.warp.sync}: the simulator's warps come together behind a branch without it. */
  @Test
  void aMissingBarrierIsNoticed() {
    assertNoticed(module -> Mutations.withoutABarrier(module).stream()
        .filter(mutant -> !mutant.change().contains("bar.warp.sync")).toList());
  }

  @Test
  void anEarlierWaitIsNoticed() {
    assertNoticed(Mutations::withAnEarlierWait);
  }

  @Test
  void aPhaseThatDoesNotChangeIsNoticed() {
    assertNoticed(Mutations::withAFrozenPhase);
  }

  @Test
  void anotherNumberOfArrivalsIsNoticed() {
    assertNoticed(Mutations::withOtherArrivals);
  }

  @Test
  void aSignalThatTheOtherSmMissesIsNoticed() {
    assertNoticed(Mutations::withANarrowerSignal);
  }

  @Test
  void otherBytesAreNoticed() {
    assertNoticed(Mutations::withOtherBytes);
  }

  private static void assertNoticed(Function<PtxModule, List<Mutant>> mutations) {
    var mutants = mutations.apply(LAUNCH.kernel().module());
    assertFalse(mutants.isEmpty(), "nothing to mutate");
    var missed = mutants.stream().filter(m -> LongStream.range(0, SEEDS).allMatch(s -> run(m.module(), s).ok()))
        .map(Mutant::change).toList();
    assertEquals(List.of(), missed, "of " + mutants.size() + " mutants not noticed under " + SEEDS + " seeds");
  }
}
