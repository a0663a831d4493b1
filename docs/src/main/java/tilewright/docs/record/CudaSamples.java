package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The recorded runs of NVIDIA's cuda-samples by {@code tilewright cuda}. Each sample is on the list, with its result,
 * or left out by one of the record's rules.
 */
public final class CudaSamples {
  private CudaSamples() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("recorded/cuda-samples.json");
    try {
      var record = JsonMapper.shared().readTree(Files.readString(file));
      Files.writeString(generated.resolve("cuda-samples.adoc"), tables(record));
      Files.writeString(generated.resolve("cuda-samples-count.adoc"), count(record) + "\n");
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** One sentence: how many samples of the list pass. */
  static String count(JsonNode record) {
    int listed = 0;
    int passed = 0;
    for (var row : required(record, "rows")) {
      if (row.has("leftOut")) continue;
      listed++;
      if (hasPassed(row)) passed++;
    }
    return String.format(Locale.ROOT, "Of the %d samples on the list %d pass their own check (%.1f %%).", listed,
        passed, 100.0 * passed / listed);
  }

  static String tables(JsonNode record) {
    var listed = new StringBuilder(".%s: samples of %s at %.10s, built by %s, %s%n[cols=\"3,1,>1,5\"]%n|===%n"
        .formatted(text(record, "command"), text(record, "repository"), text(record, "revision"),
            text(record, "compiler"), text(record, "date")));
    listed.append("|Sample |Check |Seconds |Remarks\n\n");
    var leftOut = new TreeMap<String, Map<String, String>>();
    for (var row : required(record, "rows")) {
      if (row.has("leftOut")) {
        var rule = text(row, "leftOut");
        required(required(record, "rules"), rule);
        leftOut.computeIfAbsent(rule, _ -> new TreeMap<>()).put(text(row, "sample"), text(row, "needs"));
      } else {
        listed.append(line(row));
      }
    }
    listed.append("|===\n\n.Left out\n[cols=\"1,6\"]\n|===\n|Needs |Samples\n\n");
    leftOut.forEach((rule, samples) -> {
      var names = samples.entrySet().stream().map(s -> "`" + s.getKey() + "` (" + s.getValue() + ")").toList();
      listed.append("|").append(text(record.get("rules"), rule)).append("\n|").append(String.join(", ", names))
          .append("\n\n");
    });
    return listed.append("|===\n").toString();
  }

  private static String line(JsonNode row) {
    boolean passed = hasPassed(row);
    var options = row.has("options") ? "`+" + text(row, "options") + "+`" : "";
    var remark = row.has("remark") ? text(row, "remark") : "";
    if (!passed && remark.isEmpty()) throw new IllegalArgumentException("no remark says why this fails: " + row);
    var seconds = row.has("seconds") ? String.format(Locale.ROOT, "%.0f", Math.ceil(row.get("seconds").asDouble()))
        : "";
    return "|`%s` |%s |%s |%s%n".formatted(text(row, "sample"), passed ? "passes" : "fails", seconds,
        options + (options.isEmpty() || remark.isEmpty() ? "" : "; ") + remark);
  }

  private static boolean hasPassed(JsonNode row) {
    return switch (text(row, "result")) {
      case "passed" -> true;
      case "failed" -> false;
      default -> throw new IllegalArgumentException("neither passed nor failed: " + row);
    };
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
