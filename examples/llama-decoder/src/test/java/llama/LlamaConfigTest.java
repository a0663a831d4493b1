package llama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlamaConfigTest {
  private static final String SIZES = "\"model_type\": \"llama\", \"hidden_size\": 32, \"num_hidden_layers\": 2, "
      + "\"num_attention_heads\": 4, \"intermediate_size\": 64, \"vocab_size\": 96";

  @TempDir
  Path folder;

  private LlamaConfig read(String json) throws IOException {
    return LlamaConfig.read(Files.writeString(folder.resolve("config.json"), json));
  }

  @Test
  void whatIsNotSaidIsAsInTransformers() throws IOException {
    assertEquals(new LlamaConfig(32, 2, 4, 4, 8, 64, 96, 10000, 1e-6f, false), read("{" + SIZES + "}"));
  }

  @Test
  void bothSpellingsOfRopeAreRead() throws IOException {
    var wanted = new LlamaConfig(32, 2, 4, 2, 32, 64, 96, 5e5, 1e-5f, true);
    var more = ", \"num_key_value_heads\": 2, \"head_dim\": 32, \"rms_norm_eps\": 1e-5, "
        + "\"tie_word_embeddings\": true, ";
    assertEquals(wanted, read("{" + SIZES + more + "\"rope_theta\": 500000.0, \"rope_scaling\": null}"));
    assertEquals(wanted, read("{" + SIZES + more
        + "\"rope_parameters\": {\"rope_theta\": 500000.0, \"rope_type\": \"default\"}}"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0} | RoPE of type \"llama3\"; needed is default",
      "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0}      | RoPE of type \"linear\"; needed is default",
      "\"rope_parameters\": {\"rope_type\": \"yarn\"}                 | RoPE of type \"yarn\"; needed is default",
      "\"rope_theta\": 0                                              | rope_theta 0; needed is a number above 0",
      "\"model_type\": \"qwen3\"                                      | model_type \"qwen3\"; needed is llama",
      "\"hidden_act\": \"gelu\"                                       | hidden_act \"gelu\"; needed is silu",
      "\"attention_bias\": true                                       | attention_bias true; needed is false",
      "\"num_key_value_heads\": 3     | num_attention_heads 4; needed is a multiple of num_key_value_heads 3",
      "\"head_dim\": 7                | head_dim 7; needed is an even number",
      "\"vocab_size\": \"many\"       | vocab_size \"many\"; needed is a whole number from 1 on",
      "\"hidden_size\": -1            | hidden_size -1; needed is a whole number from 1 on"})
  void whatIsWrongOrNotComputedIsNamed(String line, String reason) {
    assertEquals(folder.resolve("config.json") + " has " + reason, refusal("{" + SIZES + ", " + line + "}"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "4 | 12 | 96 | num_key_value_heads 2; needed is a multiple of --gpus 4",
      "2 | 63 | 96 | intermediate_size 63; needed is a multiple of --gpus 2",
      "2 | 64 | 95 | vocab_size 95; needed is a multiple of --gpus 2"})
  void sizesThatDevicesCannotShareAreRefused(int gpus, int intermediate, int vocabulary, String reason) {
    var whole = new LlamaConfig(32, 2, 4, 2, 8, intermediate, vocabulary, 1e4, 1e-5f, false);
    assertEquals(reason, assertThrows(IllegalArgumentException.class, () -> whole.share(gpus)).getMessage());
  }

  @Test
  void missingSizesAndNoJsonAreRefused() {
    assertTrue(refusal("{\"model_type\": \"llama\"}").endsWith("hidden_size ; needed is a whole number from 1 on"));
    assertTrue(refusal("{").contains("is no JSON: "));
    assertTrue(refusal("[]").contains("hidden_size"));
  }

  private String refusal(String json) {
    return assertThrows(IllegalArgumentException.class, () -> read(json)).getMessage();
  }
}
