package llama;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of record.py: a model of transformers, prompts, the tokens that it chooses, and its logits at each position
 * but the last token's.
 *
 * @param logits computed in FP32, text by text and position by position
 * @param bf16 the same, computed in bf16
 */
record Recorded(Path folder, TinyModel model, int[][] prompts, int[][] tokens, float[] logits, float[] bf16) {
  static Recorded load() throws IOException, URISyntaxException {
    var folder = Path.of(Recorded.class.getResource("/recorded/config.json").toURI()).getParent();
    var expected = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve("expected.json")));
    var logits = tensors(folder.resolve("logits.safetensors"));
    var model = new TinyModel(LlamaConfig.read(folder.resolve("config.json")), Map.of(),
        tensors(folder.resolve("model.safetensors")));
    return new Recorded(folder, model, matrix(expected.get("prompt")), matrix(expected.get("tokens")),
        logits.get("fp32"), logits.get("bf16"));
  }

  private static int[][] matrix(JsonNode rows) {
    return rows.valueStream().map(row -> row.valueStream().mapToInt(JsonNode::asInt).toArray()).toArray(int[][]::new);
  }

  /** Reads tensors of F32 and BF16 by another way than the decoder's. */
  private static Map<String, float[]> tensors(Path file) throws IOException {
    var bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int length = Math.toIntExact(bytes.getLong());
    var header = new byte[length];
    bytes.get(header);
    var tensors = new LinkedHashMap<String, float[]>();
    JsonMapper.shared().readTree(header).forEachEntry((name, entry) -> {
      if (name.equals("__metadata__")) return;
      int begin = Long.BYTES + length + entry.get("data_offsets").get(0).asInt();
      int end = Long.BYTES + length + entry.get("data_offsets").get(1).asInt();
      boolean whole = entry.get("dtype").asString().equals("F32");
      var numbers = new float[(end - begin) / (whole ? Float.BYTES : Short.BYTES)];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = whole ? bytes.getFloat(begin + Float.BYTES * i)
            : Float.intBitsToFloat(bytes.getShort(begin + Short.BYTES * i) << Short.SIZE);
      }
      tensors.put(name, numbers);
    });
    return tensors;
  }

  /** Returns a text's tokens up to the one before the last, whose logits are recorded. */
  int[] ids(int text) {
    int prompt = prompts[text].length;
    var ids = Arrays.copyOf(prompts[text], prompt + tokens[text].length - 1);
    System.arraycopy(tokens[text], 0, ids, prompt, tokens[text].length - 1);
    return ids;
  }
}
