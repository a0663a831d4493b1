package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** How the kernels that memory bounds were recorded beside the copy and beside peers, in a sentence or two. */
final class MemoryFigures {
  /** The share of the copy rate below which a row is named. */
  private static final double NEAR_THE_COPY = 0.95;
  /** The share of the best peer's rate below which a row is named; rows between it and the peer are counted. */
  private static final double NEAR_A_PEER = 0.995;

  private MemoryFigures() {}

  static void write(Path docs, Path generated) throws IOException {
    Files.writeString(generated.resolve("memory.adoc"), text(CataloguePage.measured(docs.resolve("benchmarks"))));
  }

  /** The sentence about recorded rows in TB/s that have a peer. */
  static String text(List<JsonNode> recorded) {
    var rows = recorded.stream().filter(r -> text(r, "unit").equals("TB/s") && r.get("ratio").isNumber())
        .toList();
    if (rows.isEmpty()) return "No kernel that memory bounds has been recorded beside peers yet.\n";
    var behind = rows.stream().filter(r -> ratio(r) < 1).toList();
    return "Of %d problems in TB/s beside peers, %s below %.2f of the copy rate%s.\n".formatted(rows.size(),
        are(rows, MemoryFigures::fraction, NEAR_THE_COPY), NEAR_THE_COPY,
        named(rows, MemoryFigures::fraction, NEAR_THE_COPY))
        + "A peer was faster in %d, and %s below %.3f of it%s.\n".formatted(behind.size(),
            are(behind, MemoryFigures::ratio, NEAR_A_PEER), NEAR_A_PEER,
            named(behind, MemoryFigures::ratio, NEAR_A_PEER));
  }

  private static String are(List<JsonNode> rows, Function<JsonNode, Double> of, double least) {
    long count = rows.stream().filter(r -> of.apply(r) < least).count();
    return count == 0 ? "none is" : count == 1 ? "one is" : count + " are";
  }

  /** Names the rows that stay below, the lowest first. */
  private static String named(List<JsonNode> rows, Function<JsonNode, Double> of, double least) {
    var low = rows.stream().filter(r -> of.apply(r) < least).sorted(Comparator.comparing(of)).toList();
    return low.isEmpty() ? "" : low.stream().map(r -> String.format(Locale.ROOT, "`%s` %s (%.4f)", text(r, "kernel"),
        text(r, "config"), of.apply(r))).collect(Collectors.joining(", ", ": ", ""));
  }

  private static String text(JsonNode row, String field) {
    return row.get(field).asString();
  }

  private static double ratio(JsonNode row) {
    return row.get("ratio").asDouble();
  }

  private static double fraction(JsonNode row) {
    return row.get("ours").asDouble() / row.get("floor").asDouble();
  }
}
