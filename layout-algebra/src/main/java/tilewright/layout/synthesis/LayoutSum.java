package tilewright.layout.synthesis;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import tilewright.layout.Layout;
import tilewright.layout.Modes;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;

/** The sum of two layouts as functions of the index. */
public final class LayoutSum {
  private LayoutSum() {}

  /** The sum of two functions on one domain, where the coalesced domains have a common refinement. */
  public static Decision<Layout> of(Layout a, Layout b) {
    var operation = a + " + " + b;
    if (a.size() != b.size()) {
      return Decision.Undefined.of(operation, "both have the same size", a.size() + " and " + b.size());
    }
    var cuts = new TreeSet<Long>();
    for (var layout : List.of(a, b)) {
      long cut = 1;
      for (var mode : Modes.of(layout.coalesce()).list()) {
        cuts.add(cut);
        cut = Math.multiplyExact(cut, mode.extent());
      }
      cuts.add(cut);
    }
    var modes = new ArrayList<Mode>();
    long begin = cuts.getFirst();
    for (long end : cuts.tailSet(begin, false)) {
      if (end % begin != 0) {
        return Decision.Undefined.of(operation, "the domains, coalesced, have a common refinement",
            begin + " does not divide " + end);
      }
      modes.add(new Mode(end / begin, Math.addExact(a.apply(begin), b.apply(begin))));
      begin = end;
    }
    var result = a.size() == 0 ? Layout.of(0, 0) : Modes.layout(List.copyOf(modes)).coalesce();
    return new Decision.Defined<>(result, new TableCertificate(result + "(i) is " + operation + " at i", a.size(),
        result::apply, i -> Math.addExact(a.apply(i), b.apply(i))));
  }
}
