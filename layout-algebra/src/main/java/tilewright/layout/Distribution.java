package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import tilewright.layout.Modes.Mode;

/** Layouts made of the factors of shapes and strides. */
final class Distribution {
  private Distribution() {}

  /** From left to right, of each extent what it has in common with the count that is left. */
  static Layout of(IntTuple shape, long count) {
    if (count < 1) throw new IllegalArgumentException("domain_distribute: a count is at least 1, got " + count);
    var modes = new ArrayList<Mode>();
    long index = 1;
    for (long extent : shape.flatten()) {
      long common = TupleArithmetic.gcd(extent, count);
      modes.add(new Mode(common, index));
      count /= common;
      index = Math.multiplyExact(index, extent);
    }
    return Modes.layout(List.copyOf(modes)).coalesce();
  }

  /** What divides both the run of neighbours that the layout begins with and every stride beyond it. */
  static long alignment(Layout layout) {
    var rest = new ArrayList<Mode>();
    long run = 1;
    for (var mode : Modes.of(layout.coalesce()).list().stream()
        .sorted((a, b) -> Long.compare(a.stride(), b.stride())).toList()) {
      if (mode.stride() == run) run = Math.multiplyExact(run, mode.extent());
      else if (mode.extent() != 1) rest.add(mode);
    }
    long alignment = run;
    for (var mode : rest) alignment = TupleArithmetic.gcd(alignment, mode.stride());
    return alignment;
  }

  /** The sum of two functions on one domain, where the coalesced domains have a common refinement. */
  static Decision<Layout> sum(Layout a, Layout b) {
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
