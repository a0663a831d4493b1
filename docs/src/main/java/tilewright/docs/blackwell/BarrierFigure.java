package tilewright.docs.blackwell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tilewright.layout.draw.Drawing;
import tilewright.ptx.Dim3;
import tilewright.simulator.Profile.BarrierUse;
import tilewright.simulator.Profile;

/** Arrivals at mbarriers and waits for them, recorded by the simulator; equal barriers share a row. */
final class BarrierFigure {
  private static final int WIDTH = 760;
  private static final int SIDE = 270;
  private static final int MIDDLE = 300;
  private static final int BARRIERS = 160;
  private static final int LINE = 17;
  private static final int GAP = 12;

  private BarrierFigure() {}

  /** Barriers with the same CTA, the same arrivals and the same waits. */
  private record Group(Dim3 block, List<String> signallers, List<String> waiters) {}

  /** The figure of the first {@code ctas} CTAs. */
  static Drawing of(Profile profile, RoleNames roles, int ctas, String title) {
    var groups = groups(profile, roles, ctas);
    boolean several = ctas > 1;
    int height = groups.keySet().stream().mapToInt(g -> height(g) + GAP).sum() + 40;
    var drawing = new Drawing(WIDTH, height, title).text(10, 20, "title", "arrive")
        .text(MIDDLE, 20, "title", "mbarriers").text(WIDTH - SIDE + 10, 20, "title", "wait");
    int top = 30;
    for (var entry : groups.entrySet()) {
      var group = entry.getKey();
      int middle = top + height(group) / 2;
      box(drawing, 0, top, height(group), group.signallers);
      var count = entry.getValue() == 1 ? "1 mbarrier" : entry.getValue() + " mbarriers";
      drawing.arrow(SIDE, middle, MIDDLE, middle)
          .box(MIDDLE, middle - 14, BARRIERS, 28, several ? count + " of CTA " + group.block.x() : count)
          .arrow(MIDDLE + BARRIERS, middle, WIDTH - SIDE, middle);
      box(drawing, WIDTH - SIDE, top, height(group), group.waiters);
      top += height(group) + GAP;
    }
    return drawing;
  }

  private static int height(Group group) {
    return LINE * Math.max(Math.max(group.signallers.size(), group.waiters.size()), 1) + 14;
  }

  private static void box(Drawing drawing, int left, int top, int height, List<String> lines) {
    drawing.frame(left, top, SIDE, height);
    int y = top + (height - LINE * lines.size()) / 2 + LINE - 5;
    for (var line : lines) {
      drawing.text(left + 8, y, "title", line);
      y += LINE;
    }
  }

  private static Map<Group, Integer> groups(Profile profile, RoleNames roles, int ctas) {
    var byBarrier = profile.barriers().stream().filter(u -> u.block().x() < ctas)
        .collect(Collectors.groupingBy(u -> u.block().x() << 20 | u.offset(), TreeMap::new, Collectors.toList()));
    var groups = new LinkedHashMap<Group, Integer>();
    for (var uses : byBarrier.values()) groups.merge(group(uses, roles), 1, Integer::sum);
    return groups;
  }

  private static Group group(List<BarrierUse> uses, RoleNames roles) {
    var block = uses.getFirst().block();
    var arrivals = new LinkedHashMap<String, TreeSet<String>>();
    var waits = new ArrayList<String>();
    for (var use : uses) {
      var role = roles.of(use.warp(), use.by(), block);
      switch (use.kind()) {
        case WAIT -> {
          if (!waits.contains(role)) waits.add(role);
        }
        case ARRIVAL -> arrivals.computeIfAbsent(role, _ -> new TreeSet<>()).add("arrives");
        case BYTES -> arrivals.computeIfAbsent(role, _ -> new TreeSet<>()).add("bytes");
        case COMMIT -> arrivals.computeIfAbsent(role, _ -> new TreeSet<>()).add("commits");
      }
    }
    return new Group(block, arrivals.entrySet().stream().map(e -> e.getKey() + ": "
        + String.join(", ", e.getValue())).toList(), List.copyOf(waits));
  }
}
