package llama;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The sizes of a model, from transformers' {@code config.json}; if {@code tied}, the embedding is the LM head too. */
record LlamaConfig(int hidden, int layers, int heads, int kvHeads, int headDim, int intermediate, int vocabulary,
    double ropeTheta, float epsilon, boolean tied) {

  /** @throws IllegalArgumentException naming what is missing, wrong or not computed here */
  static LlamaConfig read(Path file) throws IOException {
    try {
      return of(JsonMapper.shared().readTree(Files.readAllBytes(file)));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + " is no JSON: " + e.getOriginalMessage());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " has " + e.getMessage());
    }
  }

  private static LlamaConfig of(JsonNode json) {
    // From version 5 on transformers writes one object for all of RoPE.
    var rope = json.has("rope_parameters") ? json.get("rope_parameters") : json.path("rope_scaling");
    var theta = rope.has("rope_theta") ? rope.get("rope_theta") : json.path("rope_theta");
    var type = rope.has("rope_type") ? rope.get("rope_type") : rope.path("type");
    requireText("model_type", json.path("model_type"), "llama");
    requireText("RoPE of type", type, "default");
    requireText("hidden_act", json.path("hidden_act"), "silu");
    requireText("attention_bias", json.path("attention_bias"), "false");
    requireText("mlp_bias", json.path("mlp_bias"), "false");
    int hidden = size(json, "hidden_size", 0);
    int heads = size(json, "num_attention_heads", 0);
    int kvHeads = size(json, "num_key_value_heads", heads);
    int headDim = size(json, "head_dim", hidden / heads);
    require(heads % kvHeads == 0, "num_attention_heads", heads, "a multiple of num_key_value_heads " + kvHeads);
    require(headDim % 2 == 0, "head_dim", headDim, "an even number");
    return new LlamaConfig(hidden, size(json, "num_hidden_layers", 0), heads, kvHeads, headDim,
        size(json, "intermediate_size", 0), size(json, "vocab_size", 0), positive("rope_theta", theta, 1e4),
        (float) positive("rms_norm_eps", json.path("rms_norm_eps"), 1e-6),
        json.path("tie_word_embeddings").asBoolean(false));
  }

  /** Returns the sizes on each of some devices, which have a part of the heads and of the feed-forward's columns. */
  LlamaConfig share(int gpus) {
    var needed = "a multiple of --gpus " + gpus;
    require(kvHeads % gpus == 0, "num_key_value_heads", kvHeads, needed);
    require(intermediate % gpus == 0, "intermediate_size", intermediate, needed);
    require(vocabulary % gpus == 0, "vocab_size", vocabulary, needed);
    return new LlamaConfig(hidden, layers, heads / gpus, kvHeads / gpus, headDim, intermediate / gpus, vocabulary,
        ropeTheta, epsilon, tied);
  }

  private static void require(boolean fits, String key, Object found, String needed) {
    if (!fits) throw new IllegalArgumentException(key + " " + found + "; needed is " + needed);
  }

  /** A key that is missing has the value that is needed. */
  private static void requireText(String key, JsonNode node, String needed) {
    require(node.asString(needed).equals(needed), key, node, needed);
  }

  /** @param usual where the key is missing or null; 0 if it must be there */
  private static int size(JsonNode json, String key, int usual) {
    var node = json.path(key);
    if (usual > 0 && (node.isMissingNode() || node.isNull())) return usual;
    require(node.isInt() && node.asInt() > 0, key, node, "a whole number from 1 on");
    return node.asInt();
  }

  private static double positive(String key, JsonNode node, double usual) {
    double value = node.asDouble(usual);
    require(value > 0 && Double.isFinite(value), key, node, "a number above 0");
    return value;
  }
}
