package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.tuple.IntTuple;

/** A layout's leaves, as operations work on them. */
public record Modes(List<Mode> list) {

  /** One leaf. */
  public record Mode(long extent, long stride) {
    long reach() {
      return Math.multiplyExact(extent, stride);
    }
  }

  public static Modes of(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    var modes = new ArrayList<Mode>();
    for (int i = 0; i < extents.length; i++) modes.add(new Mode(extents[i], strides[i]));
    return new Modes(modes);
  }

  /** A flat tuple of any number of modes. */
  static Layout flat(List<Mode> modes) {
    return new Layout(IntTuple.flat(modes.stream().mapToLong(Mode::extent).toArray()),
        IntTuple.flat(modes.stream().mapToLong(Mode::stride).toArray()));
  }

  /** A leaf for one mode, a flat tuple for more, {@code 1:0} for none. */
  public static Layout layout(List<Mode> modes) {
    if (modes.isEmpty()) return Layout.of(1, 0);
    if (modes.size() == 1) return Layout.of(modes.getFirst().extent(), modes.getFirst().stride());
    return flat(modes);
  }
}
