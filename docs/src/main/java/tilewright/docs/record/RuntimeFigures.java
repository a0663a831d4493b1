package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records of {@code bench --measure launches}, {@code soak} and {@code tracing}, in sentences. */
public final class RuntimeFigures {
  private RuntimeFigures() {}

  public static void write(Path docs, Path generated) throws IOException {
    var text = new StringBuilder();
    var folder = docs.resolve("benchmarks/runtime");
    if (Files.isDirectory(folder)) {
      try (var files = Files.list(folder)) {
        for (var file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
          try {
            text.append(sentence(JsonMapper.shared().readTree(Files.readString(file)))).append("\n\n");
          } catch (JacksonException | IllegalArgumentException e) {
            throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
          }
        }
      }
    }
    Files.writeString(generated.resolve("runtime.adoc"), text.isEmpty() ? "No run has been recorded yet.\n" : text);
  }

  /** One recorded run; a field that is missing is a fault of the file. */
  static String sentence(JsonNode run) {
    var when = ", %s, commit %s: ".formatted(text(run, "date"),
        text(run, "commit").replaceFirst("(\\w{10})\\w*", "$1"));
    if (run.has("rows")) return "One thread of " + text(run, "processor") + when + tracing(run.get("rows"));
    var where = text(run, "gpu") + ", driver for CUDA " + text(run, "driver") + when;
    return where + (run.has("launches") && run.has("medianUs") ? launches(run) : soak(run));
  }

  private static String tracing(JsonNode rows) {
    var byTime = rows.valueStream().sorted(Comparator.comparingDouble(row -> number(row, "medianMs"))).toList();
    var slowest = byTime.getLast();
    return String.format(Locale.ROOT, "choosing a configuration, tracing and printing its PTX takes %.1f ms in the "
        + "median of %d kernels and tiles once the JVM is warm, and at most %.1f (%s, %.0f lines); the first time, "
        + "%.0f at most.", number(byTime.get((byTime.size() - 1) / 2), "medianMs"), byTime.size(),
        number(slowest, "medianMs"), text(slowest, "kernel"), number(slowest, "lines"),
        byTime.stream().mapToDouble(row -> number(row, "firstMs")).max().orElseThrow());
  }

  private static String launches(JsonNode run) {
    return String.format(Locale.ROOT, "%.0f launches from Java cost %.2f µs each in the median, 90 %% at most %.2f, "
        + "99 %% at most %.2f; with the wait for the device %.2f; %.1f bytes of garbage each; a graph of one kernel "
        + "%.2f µs.", number(run, "launches"), number(run, "medianUs"), number(run, "p90Us"), number(run, "p99Us"),
        number(run, "throughputUs"), number(run, "bytesPerLaunch"), number(run, "graphLaunchUs"));
  }

  private static String soak(JsonNode run) {
    return String.format(Locale.ROOT, "%.0f cycles of opening, launching and closing with %.0f launches in %.0f s: "
        + "device memory grew by %.0f bytes, the process by %.1f MiB; %.0f wrong results.", number(run, "cycles"),
        number(run, "launches"), number(run, "seconds"), number(run, "deviceBytes"),
        number(run, "residentBytes") / (1 << 20), number(run, "wrong"));
  }

  private static double number(JsonNode node, String field) {
    return required(node, field).asDouble();
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
