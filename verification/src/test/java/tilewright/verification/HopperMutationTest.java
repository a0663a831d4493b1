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
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.HopperGemm;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.collective.ClusterShape;

/** The Hopper GEMM with one piece of its synchronisation wrong, in small tiles and a ring that wraps in each. */
class HopperMutationTest {
  private static final int M = 256;
  private static final int N = 128;
  private static final int K = 200;
  private static final int SEEDS = 20;
  private static final PreparedLaunch LAUNCH = launch();

  private static PreparedLaunch launch() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, M, N, K, 1, "TN");
    var config = new Sm90GemmConfig(GemmTypes.of(ElementType.BF16, ElementType.BF16), true, true, 128, 64, 64, 2, 2,
        new ClusterShape(2, 1, 1), 8, 1, false);
    var launch = HopperGemm.prepare(problem, config);
    // One cluster, so that it has both tiles.
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
  void aMissingSignalIsNoticed() {
    assertNoticed(Mutations::withoutASignal);
  }

  @Test
  void aMissingBarrierIsNoticed() {
    assertNoticed(Mutations::withoutABarrier);
  }

  @Test
  void anEarlierWaitIsNoticed() {
    assertNoticed(Mutations::withAnEarlierWait);
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
