package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What was recorded on real GPUs: benchmark runs as tables, and what {@code verify} printed. */
final class Records {
  private Records() {}

  static void write(Path docs, Path generated) throws IOException {
    Files.writeString(generated.resolve("benchmarks.adoc"), tables(docs.resolve("benchmarks")));
    Files.writeString(generated.resolve("recorded.adoc"), transcripts(docs.resolve("recorded")));
  }

  private static String tables(Path folder) throws IOException {
    var tables = new StringBuilder();
    for (var file : files(folder, ".json")) {
      try {
        tables.append(table(JsonMapper.shared().readTree(Files.readString(file))));
      } catch (JacksonException | IllegalArgumentException e) {
        throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
      }
    }
    return tables.isEmpty() ? "No benchmark has been recorded yet.\n" : tables.toString();
  }

  /** One recorded run; a field that is missing is a fault of the file. */
  static String table(JsonNode run) {
    var table = new StringBuilder(".%s, driver %s, %s, commit %s%n[cols=\"2,1,4,>1,>1,>2,>1\"]%n|===%n".formatted(
        text(run, "gpu"), text(run, "driver"), text(run, "date"), text(run, "commit")));
    table.append("|Kernel |Arch |Config |Ours |Unit |Peers |Ratio\n\n");
    for (var row : required(run, "rows")) {
      table.append("|%s |%s |%s |%s |%s |%s |%s%n".formatted(text(row, "kernel"), text(row, "arch"), text(row, "config"),
          number(row, "ours"), text(row, "unit"), peers(required(row, "peers")), number(row, "ratio")));
    }
    return table.append("|===\n\n").toString();
  }

  private static String peers(JsonNode peers) {
    return String.join(", ", peers.properties().stream().map(peer -> peer.getKey() + " " + format(peer.getValue())).toList());
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString().replace("|", "\\|");
  }

  private static String number(JsonNode node, String field) {
    return format(required(node, field));
  }

  /** Empty for null: a run without peers has no ratio. */
  private static String format(JsonNode value) {
    if (!value.isNumber()) return value.asString();
    return String.format(Locale.ROOT, Math.abs(value.asDouble()) < 100 ? "%.2f" : "%.0f", value.asDouble());
  }

  private static String transcripts(Path folder) throws IOException {
    var transcripts = new StringBuilder();
    for (var file : files(folder, ".txt")) {
      transcripts.append("[listing]\n....\n").append(Files.readString(file).strip()).append("\n....\n\n");
    }
    return transcripts.isEmpty() ? "No run has been recorded yet.\n" : transcripts.toString();
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    if (!Files.isDirectory(folder)) return List.of();
    try (var files = Files.list(folder)) {
      return files.filter(f -> f.toString().endsWith(ending)).sorted().toList();
    }
  }
}
