package tilewright.cli.fuzz;

import java.util.List;
import java.util.stream.Collectors;
import tilewright.cli.sweep.SweepReport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Joins what runs of {@code fuzz} have found, each kind of failure once. */
public final class FuzzReport implements SweepReport {
  static final String COMMAND = "fuzz";

  @Override
  public String command() {
    return COMMAND;
  }

  @Override
  public Joined join(List<JsonNode> rows) {
    return joined(rows.stream().map(row -> JsonMapper.shared().treeToValue(row, FuzzRow.class)).toList());
  }

  static Joined joined(List<FuzzRow> rows) {
    long texts = rows.stream().mapToLong(FuzzRow::texts).sum();
    var kinds = rows.stream().flatMap(row -> row.failures().stream().map(failure -> failure.signature() + "\n  "
        + row.kernel() + " seed " + row.seed() + ", " + failure.message() + "\n" + failure.text().strip().indent(4)))
        .collect(Collectors.toMap(text -> text.lines().findFirst().orElseThrow(), text -> text,
            (a, b) -> a.length() <= b.length() ? a : b));
    var text = texts + " texts in " + rows.size() + " runs: " + (kinds.isEmpty() ? "each ran or was refused with a line"
        : kinds.size() + (kinds.size() == 1 ? " kind" : " kinds") + " of failures\n"
            + kinds.values().stream().sorted().collect(Collectors.joining("\n")));
    return new Joined(rows, rows, text, kinds.isEmpty());
  }
}
