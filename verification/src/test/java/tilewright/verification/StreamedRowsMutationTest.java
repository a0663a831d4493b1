package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Family;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.rows.HopperFamilies;

/** Rows streamed through one cluster, with one piece of its synchronisation wrong, until its rings have wrapped. */
class StreamedRowsMutationTest {
  private static final int SEEDS = 20;
  private static final Family FAMILY = HopperFamilies.named("layer_norm").orElseThrow();
  private static final Choice CHOICE = FAMILY.defaults().with(Map.of("m", "12", "n", "256", "stream", "2"));
  private static final PreparedLaunch LAUNCH = launch();

  private static PreparedLaunch launch() {
    var launch = FAMILY.workload(CHOICE).launch();
    return new PreparedLaunch(launch.kernel(), Dim3.of(2), launch.arguments());
  }

  private static SimulationResult run(PtxModule module, long seed) {
    return Simulator.load(module).run(LAUNCH.on(FamilyCases.buffers(FAMILY, CHOICE, 7)),
        SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
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
