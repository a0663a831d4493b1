package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code bench --on sim} recorded, as tables. */
final class SimulatorSpeed {
  private SimulatorSpeed() {}

  static void write(Path docs, Path generated) throws IOException {
    var tables = new StringBuilder();
    try (var files = Files.list(docs.resolve("benchmarks/simulator"))) {
      for (var file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        try {
          tables.append(table(JsonMapper.shared().readTree(Files.readString(file))));
        } catch (JacksonException | IllegalArgumentException e) {
          throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
        }
      }
    }
    Files.writeString(generated.resolve("simulator-speed.adoc"), tables);
  }

  /** One recorded run; a field that is missing is a fault of the file. */
  static String table(JsonNode run) {
    var commit = required(run, "commit").asString().replaceFirst("(\\w{10})\\w*", "$1");
    var table = new StringBuilder(".One core of %s, Java %s, %s, %s, commit %s\n".formatted(
        required(run, "processor").asString(), required(run, "java").asString(),
        required(run, "vectors").asBoolean() ? "Vector API" : "no Vector API", required(run, "date").asString(),
        commit));
    table.append("[cols=\"2,2,>2,>1,>2,>1,>1\"]\n|===\n");
    table.append("|Kernel |Size |10^9^ thread instructions/s |10^9^ MAC/s |Sanitizer costs |µs a CTA ");
    table.append("|of a quarter of the grid\n\n");
    for (var row : required(run, "rows")) {
      table.append(String.format(Locale.ROOT, "|`%s` |%s |%.2f |%.2f |%.1f× |%.0f |%.0f%n",
          required(row, "kernel").asString(), required(row, "config").asString(), number(row, "instructionsPerSecond"),
          number(row, "macPerSecond"), number(row, "sanitizerRatio"), number(row, "usPerCta"),
          number(row, "usPerCtaOfQuarter")));
    }
    table.append("|===\n\n");
    var coldStart = required(run, "coldStartMs");
    if (coldStart.isNumber()) {
      table.append(String.format(Locale.ROOT, "Cold start of `sim` on a small launch: %.0f ms.%n%n",
          coldStart.asDouble()));
    }
    return table.toString();
  }

  private static double number(JsonNode node, String field) {
    return required(node, field).asDouble();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
