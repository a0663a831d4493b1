package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records of real GPUs: benchmark runs as tables, and the output of {@code verify}. */
public final class Records {
  private Records() {}

  public static void write(Path docs, Path generated) throws IOException {
    tables(docs.resolve("benchmarks"), generated);
    Files.writeString(generated.resolve("recorded.adoc"), transcripts(docs.resolve("recorded")));
  }

  /** Writes {@code record-NAME.adoc} for each {@code NAME.json}. */
  private static void tables(Path folder, Path generated) throws IOException {
    for (var file : files(folder, ".json")) {
      try {
        Files.writeString(generated.resolve("record-" + file.getFileName().toString().replace(".json", ".adoc")),
            table(JsonMapper.shared().readTree(Files.readString(file))));
      } catch (JacksonException | IllegalArgumentException e) {
        throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
      }
    }
  }

  /** One recorded run; a field that is missing is a fault of the file. */
  static String table(JsonNode run) {
    var commit = text(run, "commit").replaceFirst("(\\w{10})\\w*", "$1");
    var table = new StringBuilder(".%s, driver for CUDA %s, %s%s, commit %s\n"
        .formatted(text(run, "gpu"), text(run, "driver"), versions(run), text(run, "date"), commit));
    table.append("[cols=\"2,1,4,>1,>1,>2,>1,>1,>1\"]\n|===\n");
    table.append("|Kernel |Arch |Config |Ours |Unit |Peers |Ratio |Floor |Of floor\n\n");
    for (var row : required(run, "rows")) {
      var cells = List.of(text(row, "kernel"), text(row, "arch"), text(row, "config"), number(row, "ours"),
          text(row, "unit"), peers(required(row, "peers")), ratio(row), number(row, "floor"),
          ofFloor(row));
      table.append('|').append(String.join(" |", cells)).append('\n');
    }
    return table.append("|===\n\n").append(limits(run)).toString();
  }

  /** The GPU's own rates, measured in the same run; older runs have the data sheet's rates as their floors. */
  private static String limits(JsonNode run) {
    if (!run.path("limits").isObject()) return "";
    var end = run.path("warmMs").asInt(0) > 0 ? ". Each side ran " + run.get("warmMs").asInt()
        + " ms before it was timed.\n\n" : ".\n\n";
    return run.get("limits").properties().stream().map(l -> l.getKey() + " " + format(l.getValue())
        + (l.getKey().equals("copy") ? " TB/s" : " TFLOP/s")).sorted()
        .collect(Collectors.joining(", ", "Measured limits: ", end));
  }

  /** Ours over the best peer; newer runs know between what the rounds' ratios lie. Empty without peers. */
  public static String ratio(JsonNode row) {
    var ratio = required(row, "ratio");
    var spread = row.path("ratioSpread");
    if (!ratio.isNumber() || !spread.isArray()) return format(ratio);
    return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", ratio.asDouble(), spread.get(0).asDouble(),
        spread.get(1).asDouble());
  }

  private static String ofFloor(JsonNode row) {
    if (!row.get("floor").isNumber()) return "";
    return String.format(Locale.ROOT, "%.0f %%", 100 * required(row, "ours").asDouble() / row.get("floor").asDouble());
  }

  /** The versions of the libraries that ours is compared with. */
  private static String versions(JsonNode run) {
    var peers = required(run, "rows").valueStream().flatMap(row -> row.path("peers").propertyNames().stream());
    var versions = required(run, "versions");
    return peers.distinct().filter(versions::has)
        .map(peer -> peer + " " + text(versions, peer) + ", ").collect(Collectors.joining());
  }

  private static String peers(JsonNode peers) {
    return peers.properties().stream().map(peer -> peer.getKey() + " " + format(peer.getValue()))
        .collect(Collectors.joining(", "));
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
      transcripts.append("[listing.wide]\n....\n").append(Files.readString(file).strip()).append("\n....\n\n");
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
