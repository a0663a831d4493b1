package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.attention.HopperAttention;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/** Hopper attention with one piece of its synchronisation wrong, on one CTA in whose five tiles every ring wraps. */
class Sm90AttentionMutationTest {
  private static final int QUERIES = 300;
  private static final int DIM = 64;
  private static final int SEEDS = 8;
  /** Few stages, where waiting for K and V spares waiting for Q, and many, where it does not. */
  private static final List<Setup> SETUPS = List.of(new Setup(40, 3), new Setup(20, 5));

  /** One CTA, which has five tiles. */
  private record Setup(int keys, PreparedLaunch launch) {
    Setup(int keys, int stages) {
      this(keys, HopperAttention.prepare(AttentionProblem.dense(ElementType.BF16, Sizes.of(1, QUERIES, keys, 1, DIM)),
          new Shape(DIM, DIM, 1, 16, stages, 2, DIM, false)));
    }

    PtxModule module() {
      return launch.kernel().module();
    }

    SimulationResult run(PtxModule module, long seed) {
      var one = new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments());
      var buffers = Map.of("Q", bytes(2 * QUERIES * DIM), "K", bytes(2 * keys * DIM), "V", bytes(2 * keys * DIM), "O",
          bytes(2 * QUERIES * DIM), "LSE", bytes(4 * QUERIES), HopperAttention.COUNTER, bytes(4));
      return Simulator.load(module).run(one.on(buffers),
          SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
    }

    boolean notices(Mutant mutant) {
      return !LongStream.range(0, SEEDS).allMatch(seed -> run(mutant.module(), seed).ok());
    }
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    for (var setup : SETUPS) {
      for (long seed = 0; seed < 20; seed++) {
        assertEquals(List.of(), setup.run(setup.module(), seed).findings(), "seed " + seed);
      }
    }
  }

  @Test
  void aMissingSignalIsNoticed() {
    assertNoticed(Mutations::withoutASignal, Sm90AttentionMutationTest::isRedundant);
  }

  @Test
  void aMissingBarrierIsNoticed() {
    assertNoticed(Mutations::withoutABarrier, m -> false);
  }

  @Test
  void anEarlierWaitIsNoticed() {
    var tight = Mutations.withAnEarlierWait(SETUPS.getFirst().module());
    var loose = Mutations.withAnEarlierWait(SETUPS.getLast().module());
    assertEquals(tight.size(), loose.size(), "the same waits in both");
    assertEquals(List.of(), IntStream.range(0, tight.size()).filter(i -> !SETUPS.getFirst().notices(tight.get(i))
        && !SETUPS.getLast().notices(loose.get(i))).mapToObj(i -> tight.get(i).change()).toList());
  }

  @Test
  void otherBytesAreNoticed() {
    assertNoticed(Mutations::withOtherBytes, m -> false);
  }

  /** A fence that the next product's follows, which the assembler asks for. */
  private static boolean isRedundant(Mutant mutant) {
    return mutant.change().contains("wgmma.fence");
  }

  private static void assertNoticed(Function<PtxModule, List<Mutant>> mutations, Predicate<Mutant> redundant) {
    var setup = SETUPS.getLast();
    var mutants = mutations.apply(setup.module()).stream().filter(redundant.negate()).toList();
    assertFalse(mutants.isEmpty(), "nothing to mutate");
    assertEquals(List.of(), mutants.stream().filter(m -> !setup.notices(m)).map(Mutant::change).toList(),
        "not noticed under " + SEEDS + " seeds");
  }
}
