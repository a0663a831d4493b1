package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Golden vectors: one JSON object a line, made by other implementations of the algebra and judged by its definitions.
 */
final class Golden {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Golden() {}

  /** Checks every record of a file whose verdict is one of these; a file without one fails. */
  static void each(String operation, List<String> verdicts, BiConsumer<JsonNode, JsonNode> check) {
    var failures = new ArrayList<String>();
    int checked = 0;
    for (var line : lines(operation)) {
      var node = JSON.readTree(line);
      if (!verdicts.contains(node.get("verdict").asString())) continue;
      checked++;
      try {
        check.accept(node.get("args"), node);
      } catch (AssertionError | RuntimeException e) {
        failures.add(node.get("id").asString() + " " + node.get("args") + ": " + e.getMessage());
      }
    }
    assertTrue(checked > 0, "no record of " + operation + " with verdict " + verdicts);
    assertTrue(failures.isEmpty(), failures.size() + " of " + checked + ":\n"
        + String.join("\n", failures.subList(0, Math.min(20, failures.size()))));
  }

  /**
   * The offsets that the definition demands: listed for small sizes, else those of the oracle's layout, which was
   * judged right.
   */
  static long[] table(JsonNode node) {
    var array = node.has("truth") ? node.get("truth") : node.get("table");
    if (array == null) return Layout.parse(node.get("expect").asString()).offsets();
    var table = new long[array.size()];
    for (int i = 0; i < table.length; i++) table[i] = array.get(i).asLong();
    return table;
  }

  private static List<String> lines(String operation) {
    try (var reader = new BufferedReader(new InputStreamReader(
        Golden.class.getResourceAsStream("/golden/" + operation + ".jsonl"), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
