package tilewright.reference;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;

/**
 * O = softmax(Q·Kᵀ/√d)·V of packed Q, K, V and O (B,S,H,d), step by step as a kernel whose products are summed in FP32
 * or in f16: eight products at a time as on SM80, with an O of f16 rescaled and rounded for each block of keys, the
 * last one first.
 *
 * @param scores type that Q·Kᵀ is summed in; {@code output} of P·V
 */
public record TiledAttentionReference(ElementType type, ElementType scores, ElementType output, int batch,
    int sequence, int heads, int d, int block) implements Reference {
  private static final int AT_ONCE = 8;

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var q = tensors.get("Q");
    var k = tensors.get("K");
    var v = tensors.get("V");
    // No heads share no heads.
    if (q.length == 0) return List.of(Expected.rounded("O", q, q));
    var reference = new AttentionReference(view(q), view(k), view(v), 1 / Math.sqrt(d), ScoreRule.NONE);
    var exact = inMemoryOrder(reference.exact().o());
    return List.of(Expected.rounded("O", exact, output == ElementType.F16 ? byHalves(q, k, v)
        : inMemoryOrder(reference.stepwise().o())));
  }

  private TensorView view(double[] values) {
    var memory = new TensorView(type, MemorySegment.ofArray(new byte[values.length * type.bytes()]),
        Layout.of(values.length, 1));
    for (int i = 0; i < values.length; i++) memory.set(i, values[i]);
    long row = (long) heads * d;
    return new TensorView(type, memory.data(),
        new Layout(IntTuple.flat(batch, sequence, heads, d), IntTuple.flat(sequence * row, row, d, 1)));
  }

  /** Reorders O, in which the batch goes fastest, into memory order. */
  private double[] inMemoryOrder(double[] o) {
    var result = new double[o.length];
    int rows = batch * sequence * heads;
    for (int i = 0; i < o.length; i++) {
      int row = i % rows;
      int b = row % batch;
      int s = row / batch % sequence;
      int h = row / batch / sequence;
      result[at(b, s, h) + i / rows] = o[i];
    }
    return result;
  }

  private int at(int b, int s, int h) {
    return ((b * sequence + s) * heads + h) * d;
  }

  private double[] byHalves(double[] q, double[] k, double[] v) {
    var o = new double[q.length];
    IntStream.range(0, batch * sequence * heads).parallel().forEach(row -> {
      int h = row % heads;
      int b = row / heads / sequence;
      var sums = new double[d];
      float max = Float.NEGATIVE_INFINITY;
      float sum = 0;
      for (int first = (sequence - 1) / block * block; first >= 0; first -= block) {
        var scores = new double[Math.min(block, sequence - first)];
        for (int j = 0; j < scores.length; j++) scores[j] = product(q, row * d, k, at(b, first + j, h));
        float top = max;
        for (double score : scores) top = Math.max(top, (float) score);
        float factor = weight(max, top);
        for (int i = 0; i < d; i++) sums[i] = half(sums[i] * half(factor));
        sum *= factor;
        for (int j = 0; j < scores.length; j++) {
          float weight = weight((float) scores[j], top);
          sum += weight;
          scores[j] = half(weight);
        }
        for (int i = 0; i < d; i++) sums[i] = mixed(sums[i], scores, v, at(b, first, h) + i);
        max = top;
      }
      for (int i = 0; i < d; i++) o[row * d + i] = type.round((float) sums[i] / sum);
    });
    return o;
  }

  private float weight(float score, float max) {
    return (float) Math.exp((score - max) / Math.sqrt(d));
  }

  private double product(double[] q, int atQ, double[] k, int atK) {
    double sum = 0;
    for (int i = 0; i < d; i += AT_ONCE) {
      for (int j = i; j < i + AT_ONCE; j++) sum += q[atQ + j] * k[atK + j];
      sum = scores.round(sum);
    }
    return sum;
  }

  private double mixed(double before, double[] weights, double[] v, int at) {
    double sum = before;
    for (int i = 0; i < weights.length; i += AT_ONCE) {
      for (int j = i; j < Math.min(weights.length, i + AT_ONCE); j++) sum += weights[j] * v[at + j * heads * d];
      sum = half(sum);
    }
    return sum;
  }

  private static double half(double value) {
    return ElementType.F16.round(value);
  }
}
