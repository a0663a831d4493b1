package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The recorded comparisons of a GPU's bits with the simulator's. */
public final class BitEquality {
  private BitEquality() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("benchmarks/bits/bits-h200.json");
    try {
      Files.writeString(generated.resolve("bits.adoc"), tables(JsonMapper.shared().readTree(Files.readString(file))));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** Recorded runs: functions by operands, kernels by cases, and cases under many seeds. */
  static String tables(JsonNode run) {
    var machine = text(run, "gpu") + ", " + text(run, "date");
    var where = machine + commit(run);
    return table("Approximate functions: " + where, "Function |Operands", required(run, "functions"), "function",
        "operands") + "\n" + table("Kernels: " + where, "Kernel |Cases", required(run, "kernels"), "kernel", "cases")
        + "\n" + seeds(machine, required(run, "seeds"));
  }

  private static String commit(JsonNode run) {
    return ", commit " + text(run, "commit").replaceFirst("(\\w{10})\\w*", "$1");
  }

  /** Other inputs and another schedule of the simulator by each seed. */
  private static String seeds(String machine, JsonNode run) {
    var table = new StringBuilder(".Under many seeds: " + machine + commit(run));
    table.append("\n[cols=\"3,>2,>2,>2\"]\n|===\n|Kernel |Cases |Seeds |Of other bits\n\n");
    for (var row : required(run, "rows")) {
      table.append(String.format(Locale.ROOT, "|`%s` |%d |%d |%d%n", text(row, "kernel"),
          required(row, "cases").asInt(), required(row, "seeds").asInt(), required(row, "different").asInt()));
    }
    return table + "|===\n";
  }

  private static String table(String title, String heads, JsonNode rows, String name, String count) {
    var table = new StringBuilder("." + title + "\n[cols=\"3,>2,>2\"]\n|===\n|" + heads + " |Of other bits\n\n");
    for (var row : rows) {
      table.append(String.format(Locale.ROOT, "|`%s` |%,d |%,d%n", text(row, name), required(row, count).asLong(),
          required(row, "different").asLong()));
    }
    return table + "|===\n";
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
