package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.ScoreRule;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.QuantizedAttention;

/** Hopper attention of 8-bit operands where a bias and documents are read for each score. */
class CapturedBytesTest {
  private static final CapturedTensor BIAS = CapturedTensor.of("bias", ElementType.BF16, 3);
  private static final CapturedTensor DOCUMENTS = CapturedTensor.of("documents", ElementType.I32, 2);
  private static final int LENGTH = 150;

  /** Tiles of fewer keys than without the bias, over whole and cut blocks. */
  @ParameterizedTest(name = "head dimension {0}, lists of blocks: {1}, factors of blocks: {2}")
  @CsvSource({"64, true, true", "96, true, false", "96, false, true", "128, true, true", "128, false, true",
      "192, false, false", "192, true, false", "192, true, true", "256, true, false"})
  void aBiasInDocumentsAgreesWithTheReference(int dim, boolean lists, boolean blocks) {
    var c = AttentionCases.makeCase(AttentionCases.SM90, setup(dim, lists, blocks), Set.of("sim"), 1);
    var row = Verification.verify(c, new SimulatorBackend(1));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
  }

  private static AttentionCases.Setup setup(int dim, boolean lists, boolean blocks) {
    var sizes = Sizes.of(1, LENGTH, LENGTH, 2, dim);
    var random = new Random(dim);
    var bias = IntStream.range(0, sizes.heads() * LENGTH * LENGTH).mapToDouble(_ -> BIAS.type().toDouble(
        BIAS.type().fromDouble(random.nextGaussian(), Rounding.NEAREST_EVEN))).toArray();
    var document = IntStream.range(0, LENGTH).mapToDouble(i -> i / 70).toArray();
    AttentionProblem read = Attention.forward(ElementType.BF16, sizes)
        .score((score, _, h, q, k) -> score.plus(BIAS.at(h, q, k))).capture(BIAS, sizes.heads(), LENGTH, LENGTH)
        .mask((b, _, q, k) -> DOCUMENTS.integerAt(b, q).equalTo(DOCUMENTS.integerAt(b, k)))
        .capture(DOCUMENTS, 1, LENGTH).problem();
    var rule = ScoreRule.mask((_, _, q, k) -> document[q] == document[k])
        .and(ScoreRule.bias((_, h, q, k) -> bias[(h * LENGTH + q) * LENGTH + k]));
    var quantized = blocks ? Quantized.perBlock(ElementType.BF16, sizes, 64, 128)
        : Quantized.perHead(ElementType.BF16, sizes);
    return QuantizedAttention.quantized(new AttentionCases.Setup("biased documents", lists ? read.skipping() : read,
        (_, _, _) -> rule, new int[0], new int[0], Map.of("bias", bias, "documents", document)), quantized);
  }
}
