package tilewright.verification.mutation;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.async.collective.ClusterShape;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;

/** Three CTAs that have a tile each, and then thirds of a fourth, with one piece of their synchronisation wrong. */
class StreamKMutationTest {
  private static final int M = 128;
  private static final int N = 256;
  private static final int K = 448;

  private static MutationTrial trial() {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, M, N, K, 1, "TN");
    var config = new Sm90GemmConfig(Operands.alongK(problem.types()), new TileShape(128, 64, 64), 2, 2,
        new ClusterShape(1, 1, 1), 8, 1, Variant.PLAIN.with(Variant.Order.STREAM_K));
    return MutationTrial.ofZeros(Sm90Gemms.prepare(problem, config), Map.of("A", 2 * M * K, "B", 2 * N * K, "C",
        2 * M * N)).on(Dim3.of(3));
  }

  @TestFactory
  Stream<DynamicTest> everyMistakeIsNoticed() {
    return trial().tests(Flaw.WEAKER_FLAG, Flaw.MISSING_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT);
  }
}
