package tilewright.verification.mutation;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.RegisteredFamilies;
import tilewright.verification.cases.FamilyCases;

/** Families that synchronise, with one barrier removed: the simulator notices each, whatever the schedule. */
class FamilyMutationTest {

  private record Subject(String name, MutationTrial trial) {
    static Subject of(String name, List<Integer> extents, Map<String, String> options) {
      var family = RegisteredFamilies.named(name);
      var choice = family.sized(family.defaults().with(options), extents);
      return new Subject(name + " " + choice, MutationTrial.of(family.workload(choice).launch(), () ->
          FamilyCases.buffers(family, choice, 7)).withSeeds(1));
    }
  }

  private static final List<Subject> SUBJECTS = List.of(
      Subject.of("softmax", List.of(2, 2048), Map.of()),
      Subject.of("grid_softmax", List.of(9000), Map.of()),
      Subject.of("cross_entropy", List.of(2, 2048), Map.of("gradient", "inplace")),
      Subject.of("sum", List.of(9000), Map.of()),
      Subject.of("mat_transpose", List.of(72, 200), Map.of()),
      Subject.of("mat_transpose", List.of(33, 65), Map.of("path", "padded")),
      Subject.of("histogram", List.of(9000), Map.of()),
      Subject.of("nms", List.of(70), Map.of()),
      Subject.of("quantize_heads", List.of(1, 130, 1, 64), Map.of()),
      Subject.of("quantize_transposed", List.of(1, 130, 1, 64), Map.of()),
      Subject.of("sgemm", List.of(20, 20, 50), Map.of("path", "sliced")),
      Subject.of("mma_gemm", List.of(72, 72, 72), Map.of("stages", "1", "tile", "64", "smem", "padded")),
      Subject.of("wmma_gemm", List.of(128, 128, 72), Map.of("stages", "2")));

  @TestFactory
  Stream<DynamicTest> aMissingBarrierIsNoticed() {
    return SUBJECTS.stream().map(s -> DynamicTest.dynamicTest(s.name, () ->
        s.trial.assertNoticed(Mutations::withoutABarrier)));
  }

  @TestFactory
  Stream<DynamicTest> theKernelsThemselvesAreClean() {
    return SUBJECTS.stream().map(s -> DynamicTest.dynamicTest(s.name, s.trial::assertTheKernelItselfIsClean));
  }
}
