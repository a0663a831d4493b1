package tilewright.verification.cases;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.ScoreRule;

/** Masks and score functions that read data of the launch, each with its reference in plain Java on plain arrays. */
final class CapturedMods {
  private static final int BUCKETS = 12;
  private static final int WINDOW = 60;
  private static final float TEMPERATURE = 0.75f;

  private CapturedMods() {}

  static List<AttentionCases.Setup> setups() {
    return List.of(bias(), alibiInDocuments(), relative());
  }

  /** A bias for each head, query and key, on sizes with tails. */
  private static AttentionCases.Setup bias() {
    var s = new Sizes(1, 70, 90, 4, 2, 64, 64);
    var bias = CapturedTensor.of("bias", ElementType.BF16, 3);
    var values = normal(bias, s.heads() * s.queries() * s.keys(), 1);
    var problem = Attention.forward(ElementType.BF16, s)
        .score((score, b, h, q, k) -> score.plus(bias.at(h, q, k)))
        .capture(bias, s.heads(), s.queries(), s.keys()).problem();
    return setup("captured bias", problem, Map.of("bias", values), ScoreRule.bias((b, h, q, k) ->
        values[(h * s.queries() + q) * s.keys() + k]));
  }

  /** Slopes of heads, and numbers of documents in lists of blocks. */
  private static AttentionCases.Setup alibiInDocuments() {
    var s = Sizes.of(2, 140, 140, 2, 64);
    var slopes = CapturedTensor.of("slopes", ElementType.F16, 1);
    var documents = CapturedTensor.of("documents", ElementType.I32, 2);
    var slope = normal(slopes, s.heads(), 2);
    var document = IntStream.range(0, s.batch() * s.keys()).mapToDouble(i -> i % s.keys() / (i < s.keys() ? 45 : 70))
        .toArray();
    var problem = Attention.forward(ElementType.F16, s)
        .score((score, b, h, q, k) -> k.minus(q).toF32().fma(slopes.at(h), score))
        .mask((b, h, q, k) -> documents.integerAt(b, q).equalTo(documents.integerAt(b, k)))
        .capture(slopes, s.heads()).capture(documents, s.batch(), s.keys()).skippingBlocks().problem();
    return setup("captured slopes and documents", problem, Map.of("slopes", slope, "documents", document),
        ScoreRule.mask((b, h, q, k) -> document[b * s.keys() + q] == document[b * s.keys() + k])
            .and(ScoreRule.bias((b, h, q, k) -> slope[h] * (k - q))));
  }

  /** A table by the bucket of each distance, a number and an integer. */
  private static AttentionCases.Setup relative() {
    var s = Sizes.of(1, 80, 130, 2, 64);
    var table = CapturedTensor.of("relative", ElementType.F32, 2);
    var buckets = CapturedTensor.of("buckets", ElementType.I8, 1).below(BUCKETS);
    var values = normal(table, s.heads() * BUCKETS, 3);
    int distances = s.queries() + s.keys() - 1;
    var bucket = IntStream.range(0, distances).mapToDouble(i ->
        Math.min(BUCKETS - 1, Math.floor(Math.sqrt(Math.abs(i - s.queries() + 1))))).toArray();
    var problem = Attention.forward(ElementType.BF16, s)
        .score((score, b, h, q, k) -> score.times(score.parameter("temperature"))
            .plus(table.at(h, buckets.integerAt(k.minus(q).plus(s.queries() - 1)))))
        .mask((b, h, q, k) -> k.lessThan(q.plus(q.parameter("window"))))
        .capture(table, s.heads(), BUCKETS).capture(buckets, distances)
        .capture("temperature", TEMPERATURE).capture("window", WINDOW).problem();
    var scaled = new ScoreRule() {
      @Override
      public double change(double score, int b, int h, int q, int k) {
        return score * TEMPERATURE + values[h * BUCKETS + (int) bucket[k - q + s.queries() - 1]];
      }

      @Override
      public double slope(double score, int b, int h, int q, int k) {
        return TEMPERATURE;
      }
    };
    return setup("captured table, buckets and numbers", problem, Map.of("relative", values, "buckets", bucket),
        ScoreRule.mask((b, h, q, k) -> k < q + WINDOW).and(scaled));
  }

  private static AttentionCases.Setup setup(String name, AttentionProblem problem,
      Map<String, double[]> captured, ScoreRule rule) {
    return new AttentionCases.Setup(name, problem, (_, q, k) -> rule, new int[0], new int[0], captured);
  }

  /** Numbers that the tensor's type holds exactly. */
  private static double[] normal(CapturedTensor tensor, int count, long seed) {
    var random = new Random(seed);
    return IntStream.range(0, count).mapToDouble(_ ->
        tensor.type().toDouble(tensor.type().fromDouble(random.nextGaussian(), Rounding.NEAREST_EVEN))).toArray();
  }
}
