package tilewright.cli.sweep;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Makes one report of all rows of a sweep. */
public interface SweepReport {
  /** Returns the command whose rows they are, such as {@code bench}. */
  String command();

  /**
   * Joins rows.
   *
   * @param rows the payloads of the results, at least one, ordered by their keys
   * @throws IllegalArgumentException if they do not stand in one report
   */
  Joined join(List<JsonNode> rows);

  /**
   * A report.
   *
   * @param document the JSON for a file
   * @param lines the objects of {@code --json}, a line each
   * @param sound whether no row is a failure
   */
  record Joined(Object document, List<?> lines, String text, boolean sound) {
    public Joined {
      lines = List.copyOf(lines);
    }

    /** A report of rows that judge nothing. */
    public Joined(Object document, List<?> lines, String text) {
      this(document, lines, text, true);
    }
  }
}
