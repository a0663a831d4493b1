package llama;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/** A device's share of a model's weights, by the names of transformers. Matrices are (outputs, inputs). */
record Weights(DeviceTensor embedding, List<Layer> layers, DeviceTensor norm, DeviceTensor head) {

  /** A layer's weights; {@code qkv} and {@code gateUp} have the rows of several projections, for one multiplication. */
  record Layer(DeviceTensor attentionNorm, DeviceTensor qkv, DeviceTensor out, DeviceTensor feedForwardNorm,
      DeviceTensor gateUp, DeviceTensor down) {}

  /** @throws IllegalArgumentException naming the tensor that is missing or has another shape */
  static Weights load(Safetensors from, LlamaConfig c, Ops ops, Share share) {
    int width = c.hidden();
    var embedding = from.load(ops, "model.embed_tokens.weight", c.vocabulary(), width);
    var layers = IntStream.range(0, c.layers()).mapToObj(i -> "model.layers." + i + ".").map(layer -> new Layer(
        from.load(ops, layer + "input_layernorm.weight", width),
        stacked(share, from.load(ops, layer + "self_attn.q_proj.weight", c.heads() * c.headDim(), width),
            from.load(ops, layer + "self_attn.k_proj.weight", c.kvHeads() * c.headDim(), width),
            from.load(ops, layer + "self_attn.v_proj.weight", c.kvHeads() * c.headDim(), width)),
        share.keep(from.load(ops, layer + "self_attn.o_proj.weight", width, c.heads() * c.headDim()), 1),
        from.load(ops, layer + "post_attention_layernorm.weight", width),
        stacked(share, from.load(ops, layer + "mlp.gate_proj.weight", c.intermediate(), width),
            from.load(ops, layer + "mlp.up_proj.weight", c.intermediate(), width)),
        share.keep(from.load(ops, layer + "mlp.down_proj.weight", width, c.intermediate()), 1))).toList();
    return new Weights(embedding, layers, from.load(ops, "model.norm.weight", width),
        c.tied() ? share.part(embedding, 0) : share.keep(from.load(ops, "lm_head.weight", c.vocabulary(), width), 0));
  }

  /** The device's rows of several matrices, one below the other. */
  private static DeviceTensor stacked(Share share, DeviceTensor... wholes) {
    var ops = wholes[0].ops();
    var parts = Stream.of(wholes).map(whole -> share.part(whole, 0)).toList();
    var all = ops.empty(wholes[0].type(), parts.stream().mapToLong(p -> p.size(0)).sum(), wholes[0].size(1));
    long at = 0;
    for (var part : parts) ops.copy(part, all.slice(0, at, at += part.size(0)));
    for (var whole : wholes) whole.close();
    return all;
  }
}
