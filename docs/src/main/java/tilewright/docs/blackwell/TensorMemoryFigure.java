package tilewright.docs.blackwell;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import tilewright.layout.draw.Drawing;
import tilewright.simulator.Profile.TensorMemoryUse;
import tilewright.simulator.Profile;

/** A figure of the columns of Tensor Memory and their uses by a CTA's warps, as the simulator recorded them. */
final class TensorMemoryFigure {
  private static final int COLUMNS = 512;
  private static final int LEFT = 220;
  private static final int ROW = 24;

  private TensorMemoryFigure() {}

  /** Columns from one on, ordered by where they begin. */
  private record Range(int first, int count) implements Comparable<Range> {
    @Override
    public int compareTo(Range other) {
      return first != other.first ? Integer.compare(first, other.first) : Integer.compare(count, other.count);
    }
  }

  /** The figure of the first CTA. */
  static Drawing of(Profile profile, RoleNames roles, String title) {
    var rows = rows(profile, roles);
    var drawing = new Drawing(LEFT + COLUMNS + 20, ROW * rows.size() + 40, title);
    int top = 10;
    for (var row : rows.entrySet()) {
      drawing.text(6, top + 14, "title", row.getKey()).line(LEFT, top + 9, LEFT + COLUMNS, top + 9);
      for (var range : row.getValue()) drawing.box(LEFT + range.first, top, range.count, ROW - 6);
      top += ROW;
    }
    for (int column = 0; column <= COLUMNS; column += 64) {
      drawing.line(LEFT + column, 10, LEFT + column, top).text(LEFT + column, top + 16, "axis", "" + column);
    }
    return drawing;
  }

  private static Map<String, TreeSet<Range>> rows(Profile profile, RoleNames roles) {
    var rows = new LinkedHashMap<String, TreeSet<Range>>();
    var uses = profile.tensorMemory().stream().filter(u -> u.block().x() == 0).toList();
    for (var use : uses) {
      rows.computeIfAbsent(label(use, roles), _ -> new TreeSet<>()).add(new Range(use.first(), use.columns()));
    }
    return rows;
  }

  private static String label(TensorMemoryUse use, RoleNames roles) {
    var what = use.what().equals("multiplies") ? "reads A from" : use.what();
    return roles.of(use.warp(), use.by(), use.block()) + " " + what;
  }
}
