package tilewright.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.tuple.TupleArithmetic;

/**
 * The set of a layout's offsets: a least one, and from there sums of progressions, sorted by stride, of which none runs
 * on in the one before.
 */
public record Image(boolean empty, long least, List<Mode> progressions) {
  /** Sets that the normal form does not tell apart are listed up to this size. */
  private static final int LIMIT = 1 << 22;

  public static Image of(Layout layout) {
    if (layout.size() == 0) return new Image(true, 0, List.of());
    long least = 0;
    var modes = new ArrayList<Mode>();
    for (var mode : Modes.of(layout).list()) {
      if (mode.extent() == 1 || mode.stride() == 0) continue;
      least = Math.addExact(least, Math.multiplyExact(mode.extent() - 1, Math.min(0, mode.stride())));
      modes.add(new Mode(mode.extent(), Math.absExact(mode.stride())));
    }
    modes.sort(Comparator.comparingLong(Mode::stride));
    return new Image(false, least, merged(modes));
  }

  private static List<Mode> merged(List<Mode> sorted) {
    var merged = new ArrayList<Mode>();
    for (var mode : sorted) {
      var last = merged.isEmpty() ? mode : merged.getLast();
      long apart = mode.stride() / last.stride();
      if (!merged.isEmpty() && mode.stride() % last.stride() == 0 && apart <= last.extent()) {
        long extent = Math.addExact(last.extent(), Math.multiplyExact(apart, mode.extent() - 1));
        merged.set(merged.size() - 1, new Mode(extent, last.stride()));
      } else {
        merged.add(mode);
      }
    }
    return List.copyOf(merged);
  }

  /** One more than the greatest offset; 0 when there is none. */
  public long cosize() {
    return empty ? 0 : Math.addExact(greatest(), 1);
  }

  private long greatest() {
    long greatest = least;
    for (var mode : progressions) {
      greatest = Math.addExact(greatest, Math.multiplyExact(mode.extent() - 1, mode.stride()));
    }
    return greatest;
  }

  /** Whether the set is 0…n−1. Sorted, a stride beyond what the shorter ones reach leaves that out for good. */
  boolean isRange(long n) {
    if (empty || n == 0) return empty && n == 0;
    return least == 0 && greatest() == n - 1
        && (progressions.isEmpty() || progressions.size() == 1 && progressions.getFirst().stride() == 1);
  }

  /**
   * Whether both sets have the same offsets.
   *
   * @throws SearchLimitException where only lists beyond four million offsets would tell
   */
  public boolean isSameSet(Image other) {
    if (equals(other)) return true;
    if (empty || other.empty || least != other.least || greatest() != other.greatest()) return false;
    if (common() != other.common()) return false;
    return LongStream.of(list()).boxed().toList().equals(LongStream.of(other.list()).boxed().toList());
  }

  private long common() {
    return progressions.stream().mapToLong(Mode::stride).reduce(0, TupleArithmetic::gcd);
  }

  private long[] list() {
    var layout = Modes.layout(progressions);
    if (layout.size() > LIMIT) throw SearchLimitException.after(LIMIT);
    return LongStream.range(0, layout.size()).map(layout::apply).sorted().distinct().toArray();
  }
}
