package tilewright.layout.synthesis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;

/** A layout that reaches each offset below its size once, seen as a permutation: index ↦ offset. */
public final class Permutation {
  private final Layout layout;

  private Permutation(Layout layout) {
    this.layout = layout;
  }

  /** Decides, in time of the rank alone, whether the layout is a bijection of the integers below its size. */
  public static Decision<Permutation> of(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    var order = IntStream.range(0, extents.length).filter(i -> extents[i] != 1).boxed()
        .sorted(Comparator.comparingLong(i -> strides[i])).toList();
    long due = 1;
    for (int i : order) {
      // Offset 'due' is the first that the modes before do not reach, and only a stride of its own can.
      if (layout.size() > 0 && strides[i] != due) {
        return new Decision.Undefined<>("the permutation " + layout,
            "sorted by stride, each mode begins where the modes before end", OptionalInt.of(i),
            "stride " + strides[i] + " where " + due + " is due", Optional.empty());
      }
      due = Math.multiplyExact(due, extents[i]);
    }
    var back = layout.rightInverse();
    return new Decision.Defined<>(new Permutation(layout), new TableCertificate(
        back + " takes each offset back", layout.size(), i -> back.apply(layout.apply(i)), i -> i));
  }

  /**
   * All cycles, fixed points among them; each begins with its least index, and they are in order of it.
   *
   * @throws IllegalArgumentException if the size exceeds what a list can hold
   */
  public List<List<Integer>> cycles() {
    if (layout.size() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("the cycles of " + layout + " have " + layout.size()
          + " indices; at most " + Integer.MAX_VALUE + " can be listed");
    }
    var seen = new boolean[(int) layout.size()];
    var cycles = new ArrayList<List<Integer>>();
    for (int begin = 0; begin < seen.length; begin++) {
      var cycle = new ArrayList<Integer>();
      for (int i = begin; !seen[i]; i = (int) layout.apply(i)) {
        seen[i] = true;
        cycle.add(i);
      }
      if (!cycle.isEmpty()) cycles.add(List.copyOf(cycle));
    }
    return cycles;
  }

  /** How many cycles there are of each length. */
  public SortedMap<Integer, Integer> cycleType() {
    var counts = new TreeMap<Integer, Integer>();
    for (var cycle : cycles()) counts.merge(cycle.size(), 1, Integer::sum);
    return counts;
  }

  /**
   * The least number of times, at least 1, after which applying it again and again gives every index back.
   *
   * @throws ArithmeticException if that exceeds 64 bits
   */
  public long order() {
    long order = 1;
    for (int length : cycleType().keySet()) {
      order = Math.multiplyExact(order / greatestCommonDivisor(order, length), length);
    }
    return order;
  }

  private static long greatestCommonDivisor(long a, long b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }

  /** Whether it is a product of an even number of swaps. */
  public boolean isEven() {
    return cycleType().entrySet().stream().filter(e -> e.getKey() % 2 == 0).mapToInt(e -> e.getValue()).sum() % 2 == 0;
  }

  @Override
  public String toString() {
    return "permutation " + layout;
  }
}
