package tilewright.cli.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.expression.Value;
import tilewright.layout.tuple.IntTuple;

/**
 * A layout as {@code layout eval} reports it.
 *
 * @param cosize one more than the largest offset; nothing if the table is too large or offsets are coordinates
 * @param offsets by colexicographic index, coordinates as text; nothing if there are too many
 */
record LayoutRow(String expr, String layout, String shape, String stride, long size, Optional<Long> cosize,
    Optional<? extends List<?>> offsets) {
  /** Larger layouts are reported without their table of offsets. */
  private static final long LARGEST_TABLE = 1 << 16;
  private static final int OFFSETS_IN_TEXT = 32;

  /** Nothing for a value that is no layout. */
  static Optional<LayoutRow> of(String expression, Value value) {
    return switch (value) {
      case Value.Mapping(OffsetMap map) -> Optional.of(of(expression, map));
      case Value.CoordinateMapping(var map) -> Optional.of(new LayoutRow(expression, map.toString(),
          map.shape().toString(), strideOf(map.toString(), map.shape()), map.size(), Optional.empty(),
          table(map.size(), i -> map.apply(i).toString())));
      case Value.XorMapping(var map) -> {
        var offsets = table(map.size(), map::apply);
        yield Optional.of(new LayoutRow(expression, map.toString(), map.shape().toString(),
            strideOf(map.toString(), map.shape()), map.size(), largest(offsets), offsets));
      }
      default -> Optional.empty();
    };
  }

  private static LayoutRow of(String expression, OffsetMap map) {
    return switch (map) {
      case Layout layout -> of(expression, map, layout, table(layout), Optional.of(layout.cosize()));
      case ComposedLayout composed -> {
        var offsets = table(map.size(), map::apply);
        // A swizzle moves the largest offset, so that only the table knows it.
        yield of(expression, map, composed.layout(), offsets, largest(offsets));
      }
    };
  }

  private static LayoutRow of(String expression, OffsetMap map, Layout layout, Optional<List<Long>> offsets,
      Optional<Long> cosize) {
    return new LayoutRow(expression, map.toString(), layout.shape().toString(), layout.stride().toString(), map.size(),
        cosize, offsets);
  }

  private static Optional<List<Long>> table(Layout layout) {
    return layout.size() > LARGEST_TABLE ? Optional.empty()
        : Optional.of(Arrays.stream(layout.offsets()).boxed().toList());
  }

  private static String strideOf(String layout, IntTuple shape) {
    return layout.substring(shape.toString().length() + 1);
  }

  private static <T> Optional<List<T>> table(long size, LongFunction<T> map) {
    if (size > LARGEST_TABLE) return Optional.empty();
    var table = new ArrayList<T>((int) size);
    for (long i = 0; i < size; i++) table.add(map.apply(i));
    return Optional.of(table);
  }

  private static Optional<Long> largest(Optional<List<Long>> offsets) {
    return offsets.map(table -> table.stream().mapToLong(Long::longValue).max().orElse(-1) + 1);
  }

  String toText() {
    var shown = offsets.map(all -> all.stream().limit(OFFSETS_IN_TEXT).map(String::valueOf).toList()).orElse(List.of());
    return layout + "  size " + size + cosize.map(c -> "  cosize " + c).orElse("") + "  offsets "
        + String.join(" ", shown) + (size > shown.size() ? " …" : "");
  }
}
