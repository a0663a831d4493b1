package tilewright.playground;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.bank.AccessPattern;
import tilewright.layout.bank.BankAnalysis;
import tilewright.layout.bank.SwizzleSearch;
import tilewright.layout.decision.Decision;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.f2.Swizzle;

/** The accesses of one warp to a layout in shared memory. */
final class BankReport {
  private static final int WARP = 32;
  private static final int MOST_COLUMNS = 128;
  private static final List<Integer> MATRICES = List.of(1, 2, 4);

  private final OffsetMap map;
  private final Question question;
  private final List<AccessPattern> patterns = new ArrayList<>();

  private BankReport(OffsetMap map, Question question) {
    this.map = map;
    this.question = question;
  }

  /**
   * One access.
   *
   * @param name as {@link Question#access} gives it
   * @param verdict that there is no conflict, or the first one
   */
  record Row(String name, int lanes, int wavefronts, int ideal, String verdict) {}

  /** Neighbouring columns whose accesses take as many wavefronts. */
  record Columns(int first, int last, int wavefronts, int ideal) {}

  static BankReport of(OffsetMap map, Question question) {
    var report = new BankReport(map, question);
    for (var mode = 0; mode < map.rank(); mode++) {
      try {
        report.patterns.add(AccessPattern.along(map, mode, question.elementBytes(), question.accessBytes()));
      } catch (IllegalArgumentException _) {
        // No lane can access that number of bytes at once: the picture is of banks alone.
        break;
      }
    }
    for (var count : MATRICES) report.addMatrices(count);
    return report;
  }

  private void addMatrices(int count) {
    try {
      patterns.add(AccessPattern.matrices(map, count, question.elementBytes()));
    } catch (IllegalArgumentException _) {
      // Layouts without rows of 16 bytes have no such access.
    }
  }

  private static String name(AccessPattern pattern) {
    return pattern.name().replace("along ", "");
  }

  /** The names of all accesses that the layout allows. */
  List<String> names() {
    return patterns.stream().map(BankReport::name).toList();
  }

  private Optional<AccessPattern> chosen() {
    return patterns.stream().filter(pattern -> name(pattern).equals(question.access())).findFirst();
  }

  Picture picture() {
    return chosen().map(pattern -> Pictures.banks(map, question.elementBytes(), pattern))
        .orElseGet(() -> Pictures.banks(map, question.elementBytes()));
  }

  /** @throws IllegalArgumentException if a lane's address is no multiple of the access */
  List<Row> rows() {
    var rows = new ArrayList<Row>();
    for (var pattern : patterns) {
      var found = BankAnalysis.of(map, question.elementBytes(), pattern);
      rows.add(new Row(name(pattern), found.lanes(), found.wavefronts(), found.ideal(),
          found.conflict().map(conflict -> conflict.toString()).orElse("no conflicts")));
    }
    return rows;
  }

  /** The wavefronts of a warp down each column of a matrix; nothing for other layouts, or very wide ones. */
  List<Columns> columns() {
    if (map.rank() != 2 || map.shape().mode(1).size() > MOST_COLUMNS) return List.of();
    var rows = map.shape().mode(0).size();
    var columns = map.shape().mode(1).size();
    var vector = Math.max(1, question.accessBytes() / question.elementBytes());
    var downwards = rows > 1 && map.apply(1) - map.apply(0) == 1;
    var all = new ArrayList<Columns>();
    for (var column = 0; column < columns; column += downwards ? 1 : vector) {
      var indices = new ArrayList<Long>();
      for (long row = 0; row < rows && indices.size() < WARP; row += downwards ? vector : 1) {
        indices.add(row + rows * column);
      }
      var found = BankAnalysis.of(map, question.elementBytes(),
          new AccessPattern("column " + column, indices, question.accessBytes()));
      append(all, new Columns(column, column, found.wavefronts(), found.ideal()));
    }
    return all;
  }

  private static void append(List<Columns> all, Columns next) {
    if (!all.isEmpty() && all.getLast().wavefronts() == next.wavefronts() && all.getLast().ideal() == next.ideal()) {
      next = new Columns(all.removeLast().first(), next.last(), next.wavefronts(), next.ideal());
    }
    all.add(next);
  }

  /** The smallest swizzle without conflicts in the chosen access. */
  Decision<Swizzle> swizzle() {
    if (!(map instanceof Layout layout)) {
      return Decision.Undefined.of("find_swizzle(" + map + ")", "the layout has no swizzle yet", "it has one");
    }
    return SwizzleSearch.smallest(layout, question.elementBytes(),
        chosen().map(List::of).orElseThrow(() -> new IllegalArgumentException("choose an access first")));
  }
}
