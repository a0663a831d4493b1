package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Transpose;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;

/** Kernels with one thing wrong: the simulator notices each, and says nothing of the kernels as they are. */
class MutationTest {
  private static final Subject ALIGNED = gemm(70, 90, 200, "TN");
  private static final Subject UNALIGNED = gemm(70, 90, 67, "NT");
  private static final Subject TRANSPOSE = new Subject(Transpose.prepare(33, 65),
      () -> Map.of("X", bytes(4 * 33 * 65), "Y", bytes(4 * 33 * 65)));
  private static final Subject NAIVE = naive();

  private record Subject(PreparedLaunch launch, Supplier<Map<String, MemorySegment>> buffers) {
    PtxModule module() {
      return launch.kernel().module();
    }

    SimulationResult run(PtxModule module) {
      return Simulator.load(module).run(launch.on(buffers.get()), SimulatorOptions.defaults().withSanitizer(true));
    }
  }

  @TestFactory
  Stream<DynamicTest> aMissingBarrierIsNoticed() {
    return Stream.of(ALIGNED, UNALIGNED, TRANSPOSE).flatMap(s -> noticed(s, Mutations.withoutABarrier(s.module())));
  }

  @TestFactory
  Stream<DynamicTest> aWaitThatComesTooEarlyIsNoticed() {
    return Stream.of(ALIGNED, UNALIGNED).flatMap(s -> noticed(s, Mutations.withAWeakerWait(s.module())));
  }

  /** Bounds on M, N and the loop over k of the kernel in which each is one comparison. */
  @Test
  void aCoordinateThatIsOneTooLargeIsNoticed() {
    var mutants = Mutations.withALooserBound(NAIVE.module());
    var caught = mutants.stream().filter(m -> !NAIVE.run(m.module()).ok()).toList();
    // The fourth comparison skips an empty loop; k is not empty here, so loosening it changes nothing.
    assertEquals(4, mutants.size());
    assertEquals(3, caught.size(), () -> "noticed only " + caught.stream().map(Mutant::change).toList());
  }

  @Test
  void theKernelsThemselvesAreClean() {
    for (var subject : List.of(ALIGNED, UNALIGNED, TRANSPOSE, NAIVE)) {
      assertEquals(List.of(), subject.run(subject.module()).findings(), subject.launch().kernel().name());
    }
  }

  private static Stream<DynamicTest> noticed(Subject subject, List<Mutant> mutants) {
    assertFalse(mutants.isEmpty(), "nothing to mutate in " + subject.launch().kernel().name());
    return mutants.stream().map(m -> DynamicTest.dynamicTest(m.change(), () ->
        assertTrue(!subject.run(m.module()).findings().isEmpty(), "nobody noticed")));
  }

  private static Subject gemm(int m, int n, int k, String order) {
    return new Subject(Gemm.sm80(GemmProblem.packed(ElementType.BF16, ElementType.F32, m, n, k, 1, order)), () ->
        gemmBuffers(m, n, k));
  }

  private static Subject naive() {
    return new Subject(Gemm.naive(GemmProblem.packed(ElementType.BF16, ElementType.F32, 17, 33, 9, 1, "TN")), () ->
        gemmBuffers(17, 33, 9));
  }

  private static Map<String, MemorySegment> gemmBuffers(int m, int n, int k) {
    return Map.of("A", bytes(2 * m * k), "B", bytes(2 * n * k), "C", bytes(4 * m * n));
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }
}
