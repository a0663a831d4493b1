package tilewright.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import tilewright.layout.Layout;

/** The offsets of a global tensor's layout are those of a layout of the algebra with the same extents and strides. */
class RuntimeLayoutProperties {
  private final Scope k = new Scope(Target.SM80);

  private RuntimeLayout of(Layout layout) {
    var modes = new ArrayList<RuntimeLayout.Mode>();
    for (int mode = 0; mode < layout.rank(); mode++) {
      modes.add(new RuntimeLayout.Mode(k.constant(Math.toIntExact(layout.flatShape()[mode])),
          RuntimeLayout.Stride.of(layout.flatStride()[mode])));
    }
    return RuntimeLayout.of(k, modes);
  }

  private static long value(List<RuntimeLayout.Term> offset, Evaluator at, Scope k) {
    return offset.stream().mapToLong(t -> at.value(new I32(k, t.coordinate())) * t.stride().constant()).sum();
  }

  private static Evaluator at(I32 thread, long value) {
    return new Evaluator(Map.of(thread.value.terms().getFirst().atom(), value));
  }

  @Property
  void anOriginAddsTheOffsetOfItsCoordinate(@ForAll @IntRange(min = 1, max = 64) int rows,
      @ForAll @IntRange(max = 300) int rowStride, @ForAll @IntRange(max = 300) int columnStride,
      @ForAll @IntRange(max = 63) int row, @ForAll @IntRange(max = 63) int column) {
    var thread = k.block(rows);
    var layout = of(Layout.of(Layout.of(128, rowStride), Layout.of(64, columnStride)));
    var moved = layout.from(k.constant(row), k.constant(0)).slice(1, k.constant(column), k.constant(1));
    assertEquals(column + 1, at(thread, 0).value(moved.extent(1)));
    for (int t = 0; t < rows; t++) {
      assertEquals((long) (row + t) * rowStride + (long) column * columnStride,
          value(moved.offset(thread, k.constant(0)), at(thread, t), k));
    }
  }

  /** Heads that share rows: (heads, queries), from a first row and a first head on. */
  @Property
  void aSplitModeIsACompositionWithTwoModes(@ForAll @IntRange(min = 1, max = 8) int heads,
      @ForAll @IntRange(max = 300) int queryStride, @ForAll @IntRange(max = 300) int headStride,
      @ForAll @IntRange(max = 40) int first, @ForAll @IntRange(max = 7) int head) {
    var thread = k.block(64);
    var whole = Layout.of(Layout.of(128, queryStride), Layout.of(16, headStride));
    var rows = Layout.of(Layout.of(heads, headStride), Layout.of(128, queryStride));
    var split = of(whole).split(0, 1, heads).from(k.constant(first), k.constant(head));
    for (int t = 0; t < 64; t++) {
      assertEquals(rows.apply(first + t) + (long) head * headStride,
          value(split.offset(thread, k.constant(0)), at(thread, t), k), "row " + (first + t));
    }
  }
}
