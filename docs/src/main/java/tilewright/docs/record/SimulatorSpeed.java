package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import tilewright.docs.chart.Chart;
import tilewright.docs.chart.Charts;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records of {@code bench --on sim}, as tables. */
public final class SimulatorSpeed {
  private SimulatorSpeed() {}

  public static void write(Path docs, Path generated) throws IOException {
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
    var plain = JsonMapper.shared().readTree(Files.readString(docs.resolve("benchmarks/simulator/plain.json")));
    var vector = JsonMapper.shared().readTree(Files.readString(docs.resolve("benchmarks/simulator/vector.json")));
    Files.writeString(generated.resolve("chart-simulator.adoc"), Charts.include(chart(plain, vector)));
  }

  /** Multiply-adds of one core, with and without the Vector API. */
  static Chart chart(JsonNode plain, JsonNode vector) {
    var groups = new ArrayList<Chart.Group>();
    for (int i = 0; i < required(plain, "rows").size(); i++) {
      var row = plain.get("rows").get(i);
      var bars = new LinkedHashMap<String, Double>();
      bars.put("plain", number(row, "macPerSecond"));
      bars.put("with the Vector API", number(required(vector, "rows").get(i), "macPerSecond"));
      groups.add(new Chart.Group(required(row, "kernel").asString(), bars, OptionalDouble.empty()));
    }
    return new Chart("simulator", "The simulator on one core, without the sanitizer", "10⁹ multiply-adds per second", false,
        groups);
  }

  /** One recorded run; a field that is missing is a fault of the file. */
  static String table(JsonNode run) {
    var commit = required(run, "commit").asString().replaceFirst("(\\w{10})\\w*", "$1");
    var table = new StringBuilder();
    var where = "%s, Java %s, %s, %s, commit %s\n".formatted(required(run, "processor").asString(),
        required(run, "java").asString(), required(run, "vectors").asBoolean() ? "Vector API" : "no Vector API",
        required(run, "date").asString(), commit);
    var rows = required(run, "rows");
    if (!rows.isEmpty()) table.append(".One core of ").append(where).append(rows(rows));
    var clocked = required(run, "clocked");
    if (!clocked.isEmpty()) table.append(".By the clock on ").append(where).append(clocked(clocked));
    var coldStart = required(run, "coldStartMs");
    if (coldStart.isNumber()) {
      table.append(String.format(Locale.ROOT, "Cold start of `sim` on a small launch: %.0f ms.%n%n",
          coldStart.asDouble()));
    }
    return table.toString();
  }

  /** Kernels in CPU time; newer runs know the ratio to the naive one. */
  private static String rows(JsonNode rows) {
    var table = new StringBuilder("[cols=\"2,2,>2,>1,>2,>1,>1,>2\"]\n|===\n");
    table.append("|Kernel |Size |10^9^ thread instructions/s |10^9^ MAC/s |Sanitizer costs |µs a CTA ");
    table.append("|of a quarter of the grid |MAC per instruction of `naive_gemm`\n\n");
    for (var row : rows) {
      table.append(String.format(Locale.ROOT, "|`%s` |%s |%.2f |%.2f |%.1f× |%.0f |%.0f |%s%n",
          required(row, "kernel").asString(), required(row, "config").asString(), number(row, "instructionsPerSecond"),
          number(row, "macPerSecond"), number(row, "sanitizerRatio"), number(row, "usPerCta"),
          number(row, "usPerCtaOfQuarter"), row.has("ratio") ? Records.ratio(row) : ""));
    }
    return table + "|===\n\n";
  }

  /** Whole programs by the clock. */
  private static String clocked(JsonNode rows) {
    var table = new StringBuilder("[cols=\"2,2,>1,>1,>1,>1,>2,>2,>1\"]\n|===\n");
    table.append("|Kernel |Size |Threads |Runs |First, s |Least, s |All, s |All, CPU s |Load\n\n");
    for (var row : rows) {
      var seconds = required(row, "seconds").valueStream().mapToDouble(JsonNode::asDouble).toArray();
      var cpu = required(row, "cpuSeconds").valueStream().mapToDouble(JsonNode::asDouble).sum();
      table.append(String.format(Locale.ROOT, "|`%s` |%s |%d |%d |%.2f |%.2f |%.1f |%.1f |%.1f%n",
          required(row, "kernel").asString(), required(row, "config").asString(), required(row, "threads").asInt(),
          seconds.length, seconds[0], Arrays.stream(seconds).min().orElseThrow(), Arrays.stream(seconds).sum(), cpu,
          number(row, "load")));
    }
    return table + "|===\n\n";
  }

  private static double number(JsonNode node, String field) {
    return required(node, field).asDouble();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
