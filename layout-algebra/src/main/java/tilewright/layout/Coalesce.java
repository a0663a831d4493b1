package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Modes.Mode;

/** The normal form: no modes of extent 1, no neighbours of which the second continues the first. */
public final class Coalesce {
  private Coalesce() {}

  static Layout all(Layout layout) {
    var modes = Modes.of(layout).list();
    if (modes.stream().anyMatch(m -> m.extent() == 0)) return Layout.of(0, 0);
    return Modes.layout(merged(modes.stream().filter(m -> m.extent() != 1).toList()));
  }

  /** The normal form of the function beyond the size: the last mode counts even with extent 1. */
  public static List<Mode> extended(Layout layout) {
    var modes = Modes.of(layout).list();
    if (modes.isEmpty()) return List.of(new Mode(1, 0));
    var bounded = modes.subList(0, modes.size() - 1).stream().filter(m -> m.extent() != 1).toList();
    var all = new ArrayList<>(bounded);
    all.add(modes.getLast());
    return merged(all);
  }

  /** Whether both map every index alike, also beyond the sizes, where the last mode runs on. */
  public static boolean isSameExtended(Layout a, Layout b) {
    var left = extended(a);
    var right = extended(b);
    // How far the last mode reaches says only where the domain ends.
    return left.getLast().stride() == right.getLast().stride()
        && left.subList(0, left.size() - 1).equals(right.subList(0, right.size() - 1));
  }

  private static List<Mode> merged(List<Mode> modes) {
    var merged = new ArrayList<Mode>();
    for (var mode : modes) {
      if (!merged.isEmpty() && merged.getLast().reach() == mode.stride()) {
        var first = merged.removeLast();
        merged.add(new Mode(Math.multiplyExact(first.extent(), mode.extent()), first.stride()));
      } else {
        merged.add(mode);
      }
    }
    return merged;
  }

  static Layout filter(Layout layout) {
    return all(Modes.layout(Modes.of(layout).list().stream().filter(m -> m.stride() != 0).toList()));
  }
}
