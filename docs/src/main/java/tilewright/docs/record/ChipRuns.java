package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tilewright.docs.source.BrokenSiteException;
import tilewright.kernel.Chip;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The recorded runs of {@code verify --chip} and {@code resources --all}: one row per GPU that the simulator stood for.
 */
public final class ChipRuns {
  private static final int HOPPER = 90;

  private ChipRuns() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("recorded/chips.json");
    try {
      Files.writeString(generated.resolve("chips.adoc"), table(JsonMapper.shared().readTree(Files.readString(file))));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** The counts of all kernels, and behind them the kernels of which something spills. */
  static String table(JsonNode run) {
    var table = new StringBuilder("[cols=\"2,2,>1,>2,>2,>2,>1,>1,2\"]\n|===\n|GPU |Target |Kernels |Cases simulated "
        + "|Configurations |Assembled |Spill |Failed |Commit\n\n");
    var notes = new StringBuilder();
    for (var chip : required(run, "chips")) {
      var rows = required(chip, "kernels");
      var name = text(chip, "chip");
      table.append(String.format(Locale.ROOT, "|%s |`%s` |%d |%d |%s |%s |%s |%d |`%.10s`, %s%n", name,
          target(Chip.valueOf(name.toUpperCase(Locale.ROOT))),
          kernels(rows), sum(rows, "passed") + sum(rows, "failed"), assembled(rows, "configurations"),
          assembled(rows, "texts"), assembled(rows, "spilling"), sum(rows, "failed"), text(chip, "commit"),
          text(chip, "date")));
      var spilling = spilling(rows);
      if (!spilling.isEmpty()) {
        notes.append("* ").append(name).append(": ").append(String.join(", ", spilling)).append('\n');
      }
    }
    table.append("|===\n");
    return notes.isEmpty() ? table.toString() : table + "\nKernels with configurations that spill:\n\n" + notes;
  }

  /** The name of the target that kernels are assembled for. */
  static String target(Chip chip) {
    return "sm_" + chip.capability() + (chip.capability() >= HOPPER ? "a" : "");
  }

  /** Kernels that the GPU runs. */
  private static long kernels(JsonNode rows) {
    long count = 0;
    for (var row : rows) {
      if (required(row, "passed").asLong() + required(row, "failed").asLong() > 0) count++;
    }
    return count;
  }

  /** A count of what every configuration was assembled to, where it was. */
  private static String assembled(JsonNode rows, String field) {
    long sum = 0;
    boolean any = false;
    for (var row : rows) {
      if (row.get(field) == null) continue;
      sum += row.get(field).asLong();
      any = true;
    }
    return any ? Long.toString(sum) : "-";
  }

  private static List<String> spilling(JsonNode rows) {
    var all = new ArrayList<String>();
    for (var row : rows) {
      if (row.get("spilling") != null && row.get("spilling").asLong() > 0) {
        all.add("`%s` (%d of %d, at most %d bytes)".formatted(text(row, "kernel"), row.get("spilling").asLong(),
            required(row, "texts").asLong(), required(row, "spillBytes").asLong()));
      }
    }
    return all;
  }

  private static long sum(JsonNode rows, String field) {
    long sum = 0;
    for (var row : rows) sum += required(row, field).asLong();
    return sum;
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
