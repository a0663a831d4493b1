package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Transpose;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.UmmaTypes;
import tilewright.sm120.Sm120NarrowGemm;

/** Kernels with one thing wrong: the simulator notices each, and says nothing of the kernels as they are. */
class MutationTest {
  private static final MutationTrial ALIGNED = gemm(70, 90, 200, "TN");
  private static final MutationTrial UNALIGNED = gemm(70, 90, 67, "NT");
  private static final MutationTrial TRANSPOSE =
      MutationTrial.ofZeros(Transpose.prepare(33, 65), Map.of("X", 4 * 33 * 65, "Y", 4 * 33 * 65)).withSeeds(1);
  private static final MutationTrial NAIVE = MutationTrial.ofZeros(
      Gemm.naive(GemmProblem.packed(ElementType.BF16, ElementType.F32, 17, 33, 9, 1, "TN")), bytes(17, 33, 9))
      .withSeeds(1);

  private static final MutationTrial BLOCK_SCALED = blockScaled(70, 90, 600);
  private static final MutationTrial SPLIT = split(33, 64, 64);

  private static MutationTrial blockScaled(int m, int n, int k) {
    var format = NarrowFormat.named("nvf4");
    var types = UmmaTypes.of(format, format, ElementType.F32);
    var problem = NarrowGemm.problem(types, m, n, k);
    int scales = Math.toIntExact(new NarrowLayout(format, m, k).scaleBytes());
    return MutationTrial.ofZeros(Sm120NarrowGemm.prepare(types, problem, k, EpilogueArguments.plain(problem)),
        Map.of("A", m * problem.k(), "B", n * problem.k(), "C", 4 * m * n, "SA", scales, "SB", scales)).withSeeds(1);
  }

  private static MutationTrial gemm(int m, int n, int k, String order) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.F32, m, n, k, 1, order);
    return MutationTrial.ofZeros(Gemm.sm80(problem), bytes(m, n, k)).withSeeds(1);
  }

  /** Two CTAs that share the k of a tile. */
  private static MutationTrial split(int m, int n, int k) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.F32, m, n, k, 1, "TN");
    return MutationTrial.ofZeros(Gemm.sm80(problem, Gemm.configure(problem), 2), bytes(m, n, k)).withSeeds(1);
  }

  private static Map<String, Integer> bytes(int m, int n, int k) {
    return Map.of("A", 2 * m * k, "B", 2 * n * k, "C", 4 * m * n);
  }

  @Test
  void aMissingBarrierIsNoticed() {
    for (var trial : List.of(ALIGNED, UNALIGNED, TRANSPOSE, BLOCK_SCALED, SPLIT)) {
      trial.assertNoticed(Mutations::withoutABarrier);
    }
  }

  @Test
  void aWaitThatComesTooEarlyIsNoticed() {
    for (var trial : List.of(ALIGNED, UNALIGNED, BLOCK_SCALED)) trial.assertNoticed(Mutations::withAWeakerWait);
  }

  /** Bounds on M, N and the loop over k of the kernel in which each is one comparison. */
  @Test
  void aCoordinateThatIsOneTooLargeIsNoticed() {
    var mutants = NAIVE.mutants(Mutations::withALooserBound);
    // The first comparison skips an empty loop; k is not empty here, so loosening it changes nothing.
    assertEquals(4, mutants.size());
    assertEquals(mutants.subList(0, 1), NAIVE.missed(mutants));
  }

  @Test
  void theKernelsThemselvesAreClean() {
    for (var trial : List.of(ALIGNED, UNALIGNED, TRANSPOSE, NAIVE, BLOCK_SCALED, SPLIT)) {
      trial.assertTheKernelItselfIsClean();
    }
  }
}
