package llama;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A model of random weights that bf16 has, as transformers names and saves them.
 *
 * @param shapes of the weights by name, in the file's order
 */
record TinyModel(LlamaConfig config, Map<String, List<Integer>> shapes, Map<String, float[]> weights) {
  static TinyModel random(LlamaConfig c, long seed) {
    var shapes = new LinkedHashMap<String, List<Integer>>();
    shapes.put("model.embed_tokens.weight", List.of(c.vocabulary(), c.hidden()));
    for (int i = 0; i < c.layers(); i++) {
      var layer = "model.layers." + i + ".";
      shapes.put(layer + "input_layernorm.weight", List.of(c.hidden()));
      shapes.put(layer + "self_attn.q_proj.weight", List.of(c.heads() * c.headDim(), c.hidden()));
      shapes.put(layer + "self_attn.k_proj.weight", List.of(c.kvHeads() * c.headDim(), c.hidden()));
      shapes.put(layer + "self_attn.v_proj.weight", List.of(c.kvHeads() * c.headDim(), c.hidden()));
      shapes.put(layer + "self_attn.o_proj.weight", List.of(c.hidden(), c.heads() * c.headDim()));
      shapes.put(layer + "post_attention_layernorm.weight", List.of(c.hidden()));
      shapes.put(layer + "mlp.gate_proj.weight", List.of(c.intermediate(), c.hidden()));
      shapes.put(layer + "mlp.up_proj.weight", List.of(c.intermediate(), c.hidden()));
      shapes.put(layer + "mlp.down_proj.weight", List.of(c.hidden(), c.intermediate()));
    }
    shapes.put("model.norm.weight", List.of(c.hidden()));
    if (!c.tied()) shapes.put("lm_head.weight", List.of(c.vocabulary(), c.hidden()));
    var random = new Random(seed);
    var weights = new LinkedHashMap<String, float[]>();
    shapes.forEach((name, shape) -> weights.put(name, numbers(name, shape, random)));
    return new TinyModel(c, shapes, weights);
  }

  /** Norms about 1; rows of matrices of about length 1, so that no part of the model drowns the others. */
  private static float[] numbers(String name, List<Integer> shape, Random random) {
    var numbers = new float[shape.stream().reduce(1, (a, b) -> a * b)];
    double deviation = name.contains("embed") ? 1 : Math.pow(shape.getLast(), -0.5);
    for (int i = 0; i < numbers.length; i++) {
      double number = shape.size() == 1 ? 0.5 + random.nextDouble() : random.nextGaussian() * deviation;
      numbers[i] = (float) Bf16.round(number);
    }
    return numbers;
  }

  /** Writes config.json and model.safetensors. */
  Path writeTo(Path folder) throws IOException {
    Files.writeString(folder.resolve("config.json"), """
        {"model_type": "llama", "hidden_act": "silu", "hidden_size": %d, "num_hidden_layers": %d,
         "num_attention_heads": %d, "num_key_value_heads": %d, "head_dim": %d, "intermediate_size": %d,
         "vocab_size": %d, "rope_theta": %s, "rms_norm_eps": %s, "tie_word_embeddings": %s, "rope_scaling": null}
        """.formatted(config.hidden(), config.layers(), config.heads(), config.kvHeads(), config.headDim(),
        config.intermediate(), config.vocabulary(), config.ropeTheta(), config.epsilon(), config.tied()));
    var header = new StringBuilder();
    int at = 0;
    for (var entry : shapes.entrySet()) {
      int end = at + Short.BYTES * weights.get(entry.getKey()).length;
      header.append(header.isEmpty() ? "{" : ",")
          .append("\"%s\":{\"dtype\":\"BF16\",\"shape\":%s,\"data_offsets\":[%d,%d]}".formatted(entry.getKey(),
              entry.getValue(), at, end));
      at = end;
    }
    var data = ByteBuffer.allocate(at).order(ByteOrder.LITTLE_ENDIAN);
    for (var name : shapes.keySet()) {
      for (float weight : weights.get(name)) data.putShort((short) (Float.floatToRawIntBits(weight) >>> Short.SIZE));
    }
    write(folder.resolve("model.safetensors"), header + "}", data.array());
    return folder;
  }

  static void write(Path file, String header, byte[] data) throws IOException {
    var text = header.getBytes(StandardCharsets.UTF_8);
    Files.write(file, ByteBuffer.allocate(Long.BYTES + text.length + data.length).order(ByteOrder.LITTLE_ENDIAN)
        .putLong(text.length).put(text).put(data).array());
  }
}
