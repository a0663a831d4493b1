package llama;

import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * The decoder as its definition has it, in FP64, one text at a time, without a cache.
 *
 * @param rounding of what each operator gives
 */
record ReferenceDecoder(LlamaConfig config, Map<String, float[]> weights, DoubleUnaryOperator rounding) {
  static ReferenceDecoder exact(TinyModel model) {
    return new ReferenceDecoder(model.config(), model.weights(), DoubleUnaryOperator.identity());
  }

  /** Rounds each operator's result to bf16, as a model of bf16 does. */
  static ReferenceDecoder rounded(TinyModel model) {
    return new ReferenceDecoder(model.config(), model.weights(), Bf16::round);
  }

  /** Returns the logits at each position of a text. */
  double[][] logits(int... ids) {
    var embedding = weights.get("model.embed_tokens.weight");
    var x = new double[ids.length][];
    for (int i = 0; i < x.length; i++) {
      int row = ids[i] * config.hidden();
      x[i] = IntStream.range(0, config.hidden()).mapToDouble(j -> embedding[row + j]).toArray();
    }
    for (int layer = 0; layer < config.layers(); layer++) {
      var name = "model.layers." + layer + ".";
      x = sum(x, attention(name + "self_attn.", norm(x, name + "input_layernorm")));
      x = sum(x, feedForward(name + "mlp.", norm(x, name + "post_attention_layernorm")));
    }
    return linear(norm(x, "model.norm"), config.tied() ? "model.embed_tokens" : "lm_head");
  }

  private double[][] attention(String name, double[][] x) {
    var q = linear(x, name + "q_proj");
    var k = linear(x, name + "k_proj");
    var v = linear(x, name + "v_proj");
    int dim = config.headDim();
    var out = new double[x.length][config.heads() * dim];
    for (int head = 0; head < config.heads(); head++) {
      int shared = head / (config.heads() / config.kvHeads());
      for (int i = 0; i < x.length; i++) {
        var scores = new double[i + 1];
        for (int j = 0; j <= i; j++) {
          var query = turned(q[i], head, i);
          var key = turned(k[j], shared, j);
          for (int d = 0; d < dim; d++) scores[j] += query[d] * key[d] / Math.sqrt(dim);
        }
        double most = IntStream.range(0, scores.length).mapToDouble(j -> scores[j]).max().orElseThrow();
        double all = IntStream.range(0, scores.length).mapToDouble(j -> Math.exp(scores[j] - most)).sum();
        for (int j = 0; j <= i; j++) {
          double probability = Math.exp(scores[j] - most) / all;
          for (int d = 0; d < dim; d++) out[i][head * dim + d] += probability * v[j][shared * dim + d];
        }
      }
    }
    return linear(rounded(out), name + "o_proj");
  }

  /** A head with pairs of elements half a head apart turned by position · theta^(−2d/D). */
  private double[] turned(double[] row, int head, int position) {
    int half = config.headDim() / 2;
    var turned = new double[2 * half];
    for (int d = 0; d < half; d++) {
      double angle = position * Math.pow(config.ropeTheta(), -2.0 * d / config.headDim());
      double a = row[head * 2 * half + d];
      double b = row[head * 2 * half + half + d];
      turned[d] = rounding.applyAsDouble(a * Math.cos(angle) - b * Math.sin(angle));
      turned[half + d] = rounding.applyAsDouble(a * Math.sin(angle) + b * Math.cos(angle));
    }
    return turned;
  }

  private double[][] feedForward(String name, double[][] x) {
    var gate = linear(x, name + "gate_proj");
    var up = linear(x, name + "up_proj");
    var product = new double[x.length][config.intermediate()];
    for (int i = 0; i < x.length; i++) {
      for (int j = 0; j < product[i].length; j++) product[i][j] = gate[i][j] / (1 + Math.exp(-gate[i][j])) * up[i][j];
    }
    return linear(rounded(product), name + "down_proj");
  }

  private double[][] norm(double[][] x, String name) {
    var weight = weights.get(name + ".weight");
    var out = new double[x.length][config.hidden()];
    for (int i = 0; i < x.length; i++) {
      double squares = 0;
      for (double number : x[i]) squares += number * number;
      double factor = 1 / Math.sqrt(squares / config.hidden() + config.epsilon());
      for (int j = 0; j < out[i].length; j++) out[i][j] = x[i][j] * factor * weight[j];
    }
    return rounded(out);
  }

  private double[][] linear(double[][] x, String name) {
    var weight = weights.get(name + ".weight");
    var out = new double[x.length][weight.length / x[0].length];
    for (int i = 0; i < x.length; i++) {
      for (int n = 0; n < out[i].length; n++) {
        for (int k = 0; k < x[i].length; k++) out[i][n] += x[i][k] * weight[n * x[i].length + k];
      }
    }
    return rounded(out);
  }

  private double[][] sum(double[][] x, double[][] y) {
    var out = new double[x.length][x[0].length];
    for (int i = 0; i < x.length; i++) for (int j = 0; j < out[i].length; j++) out[i][j] = x[i][j] + y[i][j];
    return rounded(out);
  }

  private double[][] rounded(double[][] x) {
    for (var row : x) for (int j = 0; j < row.length; j++) row[j] = rounding.applyAsDouble(row[j]);
    return x;
  }
}
