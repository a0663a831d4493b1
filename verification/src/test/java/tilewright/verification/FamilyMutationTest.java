package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Family;
import tilewright.ptx.PtxModule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm90.rows.HopperFamilies;

/** Families that synchronise, with one barrier removed or one wait weakened: the simulator notices each. */
class FamilyMutationTest {

  private record Subject(Family family, Choice choice) {
    static Subject of(String name, List<Integer> extents, Map<String, String> options) {
      var family = HopperFamilies.named(name).orElseThrow();
      return new Subject(family, family.sized(family.defaults().with(options), extents));
    }

    PtxModule module() {
      return family.workload(choice).launch().kernel().module();
    }

    SimulationResult run(PtxModule module) {
      var buffers = FamilyCases.buffers(family, choice, 7);
      return Simulator.load(module).run(family.workload(choice).launch().on(buffers),
          SimulatorOptions.defaults().withSanitizer(true));
    }
  }

  private static final List<Subject> SUBJECTS = List.of(
      Subject.of("softmax", List.of(2, 2048), Map.of()),
      Subject.of("grid_softmax", List.of(9000), Map.of()),
      Subject.of("sum", List.of(9000), Map.of()),
      Subject.of("mat_transpose", List.of(72, 200), Map.of()),
      Subject.of("mat_transpose", List.of(33, 65), Map.of("path", "padded")),
      Subject.of("histogram", List.of(9000), Map.of()),
      Subject.of("nms", List.of(70), Map.of()),
      Subject.of("sgemm", List.of(20, 20, 50), Map.of("path", "sliced")));

  @TestFactory
  Stream<DynamicTest> aMissingBarrierIsNoticed() {
    return SUBJECTS.stream().flatMap(s -> {
      var mutants = Mutations.withoutABarrier(s.module());
      assertFalse(mutants.isEmpty(), s.family.name());
      return mutants.stream().map(m -> DynamicTest.dynamicTest(m.change(), () ->
          assertTrue(!s.run(m.module()).findings().isEmpty(), "nobody noticed")));
    });
  }

  @TestFactory
  Stream<DynamicTest> theKernelsThemselvesAreClean() {
    return SUBJECTS.stream().map(s -> DynamicTest.dynamicTest(s.family.name() + " " + s.choice, () ->
        assertEquals(List.of(), s.run(s.module()).findings())));
  }
}
