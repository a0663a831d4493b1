package tilewright.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** What a kernel computes for an offset is what the layout says, however much of it tracing simplified away. */
class SymbolicLayoutProperties {

  @Property(tries = 300)
  void offsetsOfEveryThreadAreTheLayouts(@ForAll("layouts") Layout layout) {
    assertSameOffsets(layout);
  }

  @Property(tries = 300)
  void swizzledOffsetsOfEveryThreadAreTheLayouts(@ForAll("layouts") Layout layout,
      @ForAll("swizzles") Swizzle swizzle) {
    assertSameOffsets(new ComposedLayout(swizzle, 0, layout));
  }

  @Property(tries = 300)
  void constantsAddedToAThreadsCoordinateAreFoldedCorrectly(@ForAll("layouts") Layout layout,
      @ForAll("swizzles") Swizzle swizzle) {
    var composed = new ComposedLayout(swizzle, 0, layout);
    int size = Math.toIntExact(layout.size());
    for (int half = 1; half < size; half *= 2) {
      if (size % half != 0) continue;
      var k = new Scope(Target.SM80);
      var thread = k.block(half);
      var offset = new I32(k, SymbolicLayout.offset(k, flat(composed), thread.plus(size - half)));
      for (int t = 0; t < half; t++) assertEquals(composed.apply(size - half + t), at(thread, t).value(offset));
    }
  }

  private static void assertSameOffsets(OffsetMap layout) {
    var k = new Scope(Target.SM80);
    int size = Math.toIntExact(layout.size());
    var thread = k.block(size);
    var offset = new I32(k, SymbolicLayout.offset(k, flat(layout), thread));
    for (int t = 0; t < size; t++) assertEquals(layout.apply(t), at(thread, t).value(offset), "thread " + t + " of "
        + layout);
  }

  /** The layout as one mode, so that a thread's number is its coordinate. */
  private static OffsetMap flat(OffsetMap layout) {
    return switch (layout) {
      case Layout plain -> Layout.of(plain);
      case ComposedLayout c -> new ComposedLayout(c.swizzle(), c.offset(), Layout.of(c.layout()));
    };
  }

  private static Evaluator at(I32 thread, long value) {
    return new Evaluator(Map.of(thread.value.terms().getFirst().atom(), value));
  }

  @Provide
  Arbitrary<Layout> layouts() {
    var mode = Arbitraries.of(2L, 3L, 4L, 6L, 8L, 16L);
    var stride = Arbitraries.of(0L, 1L, 2L, 3L, 4L, 8L, 16L, 32L, 40L, 64L, 128L, 512L);
    return mode.list().ofMinSize(1).ofMaxSize(3).filter(s -> s.stream().reduce(1L, (a, b) -> a * b) <= 512)
        .flatMap(shape -> stride.list().ofSize(shape.size()).map(strides -> layout(shape, strides)));
  }

  private static Layout layout(List<Long> shape, List<Long> strides) {
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < shape.size(); i++) modes.add(Layout.of(shape.get(i), strides.get(i)));
    return Layout.of(modes.toArray(Layout[]::new));
  }

  @Provide
  Arbitrary<Swizzle> swizzles() {
    return Arbitraries.of(new Swizzle(3, 3, 3), new Swizzle(2, 3, 3), new Swizzle(1, 3, 3), new Swizzle(3, 4, 3),
        new Swizzle(5, 0, 5), new Swizzle(2, 0, 3), new Swizzle(0, 4, 3));
  }
}
