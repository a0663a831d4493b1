package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** SM80 attention with one piece of its synchronisation wrong, in small tiles whose ring of keys wraps. */
class AttentionMutationTest {
  private static final int SEEDS = 20;
  private static final AttentionCases.Setup SETUP =
      AttentionCases.band(ElementType.BF16, Sizes.of(1, 96, 60, 1, 32), Band.CAUSAL);

  /** Two warps share tiles of 16 keys, in each order of copying; the first tile of queries sees none of them. */
  static List<Shape> shapes() {
    return List.of(new Shape(32, 16, 32, 32, 2, 2, false, true, 1, 1),
        new Shape(32, 16, 32, 32, 2, 1, true, false, 1, 1));
  }

  private static byte[] results(PreparedLaunch launch, PtxModule module, long seed, boolean[] clean) {
    var buffers = AttentionCases.buffers(SETUP, 3);
    clean[0] = Simulator.load(module).run(launch.on(buffers),
        SimulatorOptions.defaults().withSanitizer(true).withSeed(seed)).ok();
    return buffers.get("O").toArray(ValueLayout.JAVA_BYTE);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theKernelItselfIsCleanAndGivesTheSameBitsUnderEverySchedule(Shape shape) {
    var launch = Sm80AttentionKernel.prepare(SETUP.problem(), shape);
    var clean = new boolean[1];
    var first = results(launch, launch.kernel().module(), 0, clean);
    for (long seed = 0; seed < SEEDS; seed++) {
      assertArrayEquals(first, results(launch, launch.kernel().module(), seed, clean), "seed " + seed);
      assertEquals(true, clean[0], "seed " + seed);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aMissingBarrierIsNoticed(Shape shape) {
    assertNoticed(shape, Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aWeakerWaitIsNoticed(Shape shape) {
    assertNoticed(shape, Mutations::withAWeakerWait);
  }

  private static void assertNoticed(Shape shape, Function<PtxModule, List<Mutant>> mutations) {
    var launch = Sm80AttentionKernel.prepare(SETUP.problem(), shape);
    var mutants = mutations.apply(launch.kernel().module());
    assertFalse(mutants.isEmpty(), "nothing to mutate");
    var missed = mutants.stream().filter(m -> LongStream.range(0, SEEDS).allMatch(seed -> {
      var clean = new boolean[1];
      results(launch, m.module(), seed, clean);
      return clean[0];
    })).map(Mutant::change).toList();
    assertEquals(List.of(), missed, "of " + mutants.size() + " mutants not noticed under " + SEEDS + " seeds");
  }
}
