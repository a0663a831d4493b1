package tilewright.verification.rows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels that the tables of CUDA-Learn-Notes name (https://github.com/xlite-dev/LeetCUDA), each with ours.
 */
public final class LearnNotes {
  private static final String FILE = "cuda-learn-notes.txt";
  private static final String SECTION = "= ";

  private LearnNotes() {}

  /** All rows in the order of the tables. */
  public static List<NotedRow> rows() {
    var rows = new ArrayList<NotedRow>();
    var section = "";
    for (var line : text().lines().filter(l -> !l.isBlank()).toList()) {
      if (line.startsWith(SECTION)) section = line.substring(SECTION.length());
      else rows.add(NotedRow.parse(section, line));
    }
    return List.copyOf(rows);
  }

  private static String text() {
    try (var in = LearnNotes.class.getResourceAsStream(FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
