package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records of {@code bench sm90_ladder}: one row per step, one column per extent. */
public final class LadderFigures {
  private static final Pattern CONFIG = Pattern.compile("(\\d+)x\\1x\\1 step (\\d+): (.*)");

  private LadderFigures() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("benchmarks/ladder-h200.json");
    try {
      Files.writeString(generated.resolve("ladder.adoc"), Files.exists(file)
          ? table(JsonMapper.shared().readTree(Files.readString(file))) : "No run has been recorded yet.\n");
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** One step of one size. */
  private record Figure(String idea, double rate) {}

  /** One recorded run; a row that is no step is a fault of the file. */
  static String table(JsonNode run) {
    var steps = new TreeMap<Integer, Map<Integer, Figure>>();
    var sizes = new TreeSet<Integer>();
    for (var row : run.get("rows")) {
      var config = CONFIG.matcher(row.get("config").asString());
      if (!config.matches()) throw new IllegalArgumentException("no step in " + row.get("config"));
      int size = Integer.parseInt(config.group(1));
      sizes.add(size);
      steps.computeIfAbsent(Integer.parseInt(config.group(2)), _ -> new TreeMap<>())
          .put(size, new Figure(config.group(3), row.get("ours").asDouble()));
    }
    var table = new StringBuilder(".TFLOP/s on an %s, %s, commit %.10s\n".formatted(run.get("gpu").asString(),
        run.get("date").asString(), run.get("commit").asString()));
    table.append("[cols=\">1,5").append(",>1,>1".repeat(sizes.size())).append("\"]\n|===\n|Step |What is new ");
    sizes.forEach(size -> table.append("|").append(size).append("³ |gain "));
    table.append("\n\n");
    steps.forEach((number, figures) -> {
      table.append("|").append(number).append(" |").append(figures.values().iterator().next().idea());
      for (int size : sizes) {
        table.append(rate(figures.get(size))).append(gain(steps.get(number - 1), figures, size));
      }
      table.append('\n');
    });
    return table.append("|===\n").toString();
  }

  private static String rate(Figure figure) {
    return figure == null ? " |" : String.format(Locale.ROOT, figure.rate() < 10 ? " |%.2f" : " |%.0f", figure.rate());
  }

  /** Over the step before. */
  private static String gain(Map<Integer, Figure> before, Map<Integer, Figure> now, int size) {
    if (before == null || !before.containsKey(size) || !now.containsKey(size)) return " |";
    return String.format(Locale.ROOT, " |×%.2f", now.get(size).rate() / before.get(size).rate());
  }
}
