package tilewright.verification.golden;

import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/** How a division or product by mode arranges the two parts of every mode. */
enum Grouping {
  /** {@code ((t0,r0),(t1,r1),…)}. */
  LOGICAL,
  /** {@code ((t0,t1,…),(r0,r1,…))}. */
  ZIPPED,
  /** {@code ((t0,t1,…),r0,r1,…)}. */
  TILED,
  /** {@code (t0,t1,…,r0,r1,…)}. */
  FLAT;

  /** Whether every mode of the result holds two parts that are right; modes without a tiler stay as they are. */
  boolean splits(Layout result, Layout a, Tiler tiler, ByModeJudge.Split split) {
    if (this == LOGICAL) return logical(result, a, tiler, split);
    if (this == ZIPPED) return result.rank() == 2 && zipped(result.mode(0), result.mode(1), a, tiler, split);
    int tiles = this == TILED ? 1 : tilesOf(tiler);
    if (result.rank() <= tiles) return false;
    var modes = result.modes();
    var first = this == TILED ? modes.getFirst() : regrouped(modes.subList(0, tiles), tiler);
    return zipped(first, regrouped(modes.subList(tiles, modes.size()), tiler), a, tiler, split);
  }

  private static int tilesOf(Tiler tiler) {
    return tiler instanceof Tiler.ByMode by ? by.tilers().size() : 1;
  }

  /** The modes as the one part that they are of; a tiler that is one layout has parts of one mode. */
  private static Layout regrouped(List<Layout> modes, Tiler tiler) {
    return modes.size() == 1 && !(tiler instanceof Tiler.ByMode) ? modes.getFirst() : Layout.of(modes);
  }

  private static boolean logical(Layout result, Layout a, Tiler tiler, ByModeJudge.Split split) {
    return switch (tiler) {
      case Tiler.Keep _ -> result.equals(a);
      case Tiler.ByLayout by -> result.rank() == 2 && split.holds(result.mode(0), result.mode(1), a, by.layout());
      case Tiler.ByMode by -> {
        if (result.rank() != a.rank()) yield false;
        for (int i = 0; i < a.rank(); i++) {
          if (!logical(result.mode(i), a.mode(i), tilerOf(by, i), split)) yield false;
        }
        yield true;
      }
    };
  }

  private static boolean zipped(Layout first, Layout second, Layout a, Tiler tiler, ByModeJudge.Split split) {
    return switch (tiler) {
      case Tiler.Keep _ -> first.size() == 1 && second.equals(a);
      case Tiler.ByLayout by -> split.holds(first, second, a, by.layout());
      case Tiler.ByMode by -> {
        int tiled = by.tilers().size();
        if (first.rank() != tiled || second.rank() != a.rank()) yield false;
        for (int i = 0; i < a.rank(); i++) {
          boolean holds = i < tiled ? zipped(first.mode(i), second.mode(i), a.mode(i), tilerOf(by, i), split)
              : second.mode(i).equals(a.mode(i));
          if (!holds) yield false;
        }
        yield true;
      }
    };
  }

  private static Tiler tilerOf(Tiler.ByMode tiler, int mode) {
    return mode < tiler.tilers().size() ? tiler.tilers().get(mode) : new Tiler.Keep();
  }
}
