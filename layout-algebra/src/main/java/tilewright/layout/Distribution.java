package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Modes.Mode;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;

/** Layouts made of the factors of shapes and strides. */
public final class Distribution {
  private Distribution() {}

  /**
   * Distributes at most {@code count} indices of the shape, spread from its first mode on (CuTe's domain_distribute):
   * from left to right, each extent's greatest common divisor with the count that is left.
   */
  public static Layout of(IntTuple shape, long count) {
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

  /** The greatest n for which the offsets are made of aligned runs of n (CuTe's max_alignment). */
  public static long alignment(Layout layout) {
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
}
