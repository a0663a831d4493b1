package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The recorded runs of {@code verify --chip}: one row per GPU that the simulator stood for. */
public final class ChipRuns {
  private ChipRuns() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("recorded/chips.json");
    try {
      Files.writeString(generated.resolve("chips.adoc"), table(JsonMapper.shared().readTree(Files.readString(file))));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** The counts of all kernels, and behind them the kernels of which something spills or fails. */
  static String table(JsonNode run) {
    var table = new StringBuilder(".%s, assembled by %s, %s, commit %.10s\n".formatted(text(run, "command"),
        text(run, "assembler"), text(run, "date"), text(run, "commit")));
    table.append("[cols=\"2,2,>1,>2,>1,>2,>1,>1\"]\n|===\n|GPU |Target |Kernels |Configurations assembled |With spills "
        + "|Cases simulated |Failed |Skipped\n\n");
    var notes = new StringBuilder();
    for (var chip : required(run, "chips")) {
      var rows = required(chip, "kernels");
      long passed = sum(rows, "passed");
      long spilled = sum(rows, "spilled");
      table.append(String.format(Locale.ROOT, "|%s |`%s` |%d |%d |%d |%d |%d |%d%n", text(chip, "chip"),
          text(chip, "target"), rows.size(), passed + spilled, spilled, passed, sum(rows, "failed"),
          sum(rows, "skipped")));
      var spilling = spilling(rows);
      if (!spilling.isEmpty()) {
        notes.append("* ").append(text(chip, "chip")).append(": ").append(String.join(", ", spilling)).append('\n');
      }
    }
    table.append("|===\n");
    return notes.isEmpty() ? table.toString() : table + "\nKernels with configurations that spill:\n\n" + notes;
  }

  private static List<String> spilling(JsonNode rows) {
    var all = new ArrayList<String>();
    for (var row : rows) {
      long spilled = required(row, "spilled").asLong();
      if (spilled > 0) {
        all.add("`%s` (%d, at most %d bytes)".formatted(text(row, "kernel"), spilled,
            required(row, "spillBytes").asLong()));
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
