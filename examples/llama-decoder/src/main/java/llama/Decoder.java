package llama;

import java.util.Arrays;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;
import tilewright.ops.RopeTables;

/**
 * Llama's decoder: an embedding, layers of attention and feed-forward, each behind a norm and added to its input, and
 * the LM head. Activations are (batch, tokens, width) of bf16, on each of the devices that share the model.
 *
 * @param config the sizes of this device's share
 */
record Decoder(LlamaConfig config, Weights weights, RopeTables angles, Ops ops, Share share) {
  static Decoder load(Safetensors from, LlamaConfig whole, int positions, Ops ops, Share share) {
    return new Decoder(whole.share(share.count()), Weights.load(from, whole, ops, share),
        ops.ropeTables(positions, whole.headDim(), whole.ropeTheta()), ops, share);
  }

  /** Runs the next tokens (batch, tokens) through the layers, behind those in the cache: (batch, tokens, width). */
  DeviceTensor forward(int[][] ids, KvCache cache) {
    int[] inOrder = Stream.of(ids).flatMapToInt(Arrays::stream).toArray();
    try (var indices = ops.ints(inOrder, ids.length, ids[0].length)) {
      var x = ops.embedding(weights.embedding(), indices);
      for (int layer = 0; layer < config.layers(); layer++) {
        try (var input = x; var attended = attention(input, layer, cache)) {
          x = feedForward(attended, weights.layers().get(layer));
        }
      }
      cache.advance(ids[0].length);
      return x;
    }
  }

  /** x + W·softmax(Q·Kᵀ/√D)·V, with Q, K and V of the normed x, and Q and K turned by their positions. */
  private DeviceTensor attention(DeviceTensor x, int number, KvCache cache) {
    var layer = weights.layers().get(number);
    int queries = config.heads();
    int keys = queries + config.kvHeads();
    var here = angles.slice(cache.length(), cache.length() + x.size(1));
    try (var normed = ops.rmsNorm(x, layer.attentionNorm(), config.epsilon());
        var qkv = ops.linear(normed, layer.qkv());
        var q = ops.rope(heads(qkv, 0, queries), here.cos(), here.sin());
        var k = ops.rope(heads(qkv, queries, keys), here.cos(), here.sin());
        var mixed = ops.attention(q, cache.append(number, KvCache.KEYS, k), cache.append(number, KvCache.VALUES,
            heads(qkv, keys, keys + config.kvHeads())), AttentionOptions.of().causal())) {
      return plus(x, mixed.reshape(x.size(0), x.size(1), -1), layer.out());
    }
  }

  /** Some heads of (batch, tokens, heads · dim): a view (batch, tokens, heads, dim). */
  private DeviceTensor heads(DeviceTensor x, int from, int to) {
    return x.reshape(x.size(0), x.size(1), -1, config.headDim()).slice(2, from, to);
  }

  /** x + W·(silu(gate) · up), with gate and up of the normed x. */
  private DeviceTensor feedForward(DeviceTensor x, Weights.Layer layer) {
    int width = config.intermediate();
    try (var normed = ops.rmsNorm(x, layer.feedForwardNorm(), config.epsilon());
        var gateUp = ops.linear(normed, layer.gateUp());
        var product = ops.swiglu(gateUp.slice(2, 0, width), gateUp.slice(2, width, 2 * width))) {
      return plus(x, product, layer.down());
    }
  }

  /** x + W·y for each token: the sum over devices, which have columns of W and rows of y, and the first x. */
  private DeviceTensor plus(DeviceTensor x, DeviceTensor y, DeviceTensor w) {
    var options = share.rank() == 0 ? GemmOptions.of().plus(1, x.reshape(-1, x.size(2))) : GemmOptions.of();
    return share.sum(ops.linear(y, w, options));
  }

  /** Returns the logits of (…, width), in FP32: (…, vocabulary). */
  DeviceTensor logits(DeviceTensor hidden) {
    try (var normed = ops.rmsNorm(hidden, weights.norm(), config.epsilon())) {
      return share.join(ops.linear(normed, weights.head(), GemmOptions.of().output(ElementType.F32)));
    }
  }
}
