package tilewright.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleTrees;

/** Rearrangements of a layout's modes, shape and stride together. */
final class Surgery {
  private Surgery() {}

  static Layout group(Layout layout, int begin, int end) {
    return Layout.of(TupleTrees.grouped(layout.modes(), begin, end, Layout::of));
  }

  static Layout take(Layout layout, int begin, int end) {
    return Layout.of(TupleTrees.range(layout.modes(), begin, end));
  }

  static Layout select(Layout layout, int... modes) {
    return Layout.of(Arrays.stream(modes).mapToObj(layout::mode).toList());
  }

  static Layout append(Layout layout, Layout mode) {
    var modes = new ArrayList<>(layout.modes());
    modes.add(mode);
    return Layout.of(modes);
  }

  static Layout prepend(Layout layout, Layout mode) {
    var modes = new ArrayList<>(List.of(mode));
    modes.addAll(layout.modes());
    return Layout.of(modes);
  }

  static Layout replace(Layout layout, int index, Layout mode) {
    var modes = new ArrayList<>(layout.modes());
    modes.set(index, mode);
    return Layout.of(modes);
  }

  static Layout unflatten(Layout layout, IntTuple profile) {
    return new Layout(layout.shape().unflatten(profile), layout.stride().unflatten(profile));
  }

  /** The operation at each integer of the profile; modes beyond the profile stay. */
  static Layout byProfile(Layout layout, IntTuple profile, UnaryOperator<Layout> operation) {
    if (profile instanceof IntTuple.Leaf) return operation.apply(layout);
    if (profile.rank() > layout.rank()) {
      throw new IllegalArgumentException("profile " + profile + " has more modes than " + layout);
    }
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < layout.rank(); i++) {
      var mode = layout.mode(i);
      modes.add(i < profile.rank() ? byProfile(mode, profile.mode(i), operation) : mode);
    }
    return Layout.of(modes);
  }
}
