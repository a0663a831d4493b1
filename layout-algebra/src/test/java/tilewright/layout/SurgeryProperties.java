package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;
import tilewright.layout.tuple.TupleArithmetic;

/** Laws of slices, regrouping and constructors, against tables of offsets. */
class SurgeryProperties {

  @Property
  void regroupingKeepsTheTable(@ForAll("layouts") Layout layout) {
    assertArrayEquals(layout.offsets(), layout.flatten().offsets());
    assertEquals(layout, layout.flatten().unflatten(layout.shape()));
    for (int begin = 0; begin <= layout.rank(); begin++) {
      for (int end = begin; end <= layout.rank(); end++) {
        assertArrayEquals(layout.offsets(), layout.group(begin, end).offsets());
      }
    }
  }

  @Property
  void takingPartsAndPuttingThemTogetherKeepsTheTable(@ForAll("layouts") Layout layout) {
    for (int cut = 0; cut <= layout.rank(); cut++) {
      var whole = layout.take(0, cut);
      for (var mode : layout.take(cut, layout.rank()).modes()) whole = whole.append(mode);
      assertArrayEquals(layout.offsets(), whole.offsets());
    }
    var again = layout.take(1, layout.rank()).prepend(layout.mode(0));
    assertArrayEquals(layout.offsets(), again.offsets());
    assertEquals(again, layout.replace(0, layout.mode(0)));
  }

  @Property
  void aSliceWithItsOffsetIsTheLayoutAtTheFixedCoordinates(@ForAll("layouts") Layout layout) {
    Assume.that(layout.rank() > 1);
    long fixed = layout.mode(1).size() - 1;
    var elements = new SliceCoordinate[layout.rank()];
    Arrays.fill(elements, new SliceCoordinate.Free());
    elements[1] = new SliceCoordinate.Fixed(fixed);
    var slice = layout.sliceAndOffset(new SliceCoordinate.Tuple(Arrays.asList(elements)));
    long stride = layout.mode(0).size();
    for (long i = 0; i < slice.layout().size(); i++) {
      long index = i % stride + stride * fixed + i / stride * stride * layout.mode(1).size();
      assertEquals(layout.apply(index), slice.offset() + slice.layout().apply(i));
    }
  }

  @Example
  void slicesLoseTheNestingOfTheCoordinate() {
    var layout = Layout.parse("(4,(2,3)):(6,(1,2))");
    assertEquals("(4,3):(6,2)", layout.slice(SliceCoordinate.parse("(_,(1,_))")).toString());
    assertEquals("(2):(1)", layout.dice(SliceCoordinate.parse("(_,(1,_))")).toString());
    assertEquals(layout, layout.slice(SliceCoordinate.parse("_")));
    assertEquals(layout, layout.dice(SliceCoordinate.parse("3")));
    assertEquals("():()", layout.slice(SliceCoordinate.parse("3")).toString());
    assertEquals("(_,(1,_))", SliceCoordinate.parse("( _, (1,_) )").toString());
    assertThrows(IllegalArgumentException.class, () -> layout.slice(SliceCoordinate.parse("(_,1,_)")));
    assertThrows(LayoutSyntaxException.class, () -> SliceCoordinate.parse("(_,4:1)"));
  }

  @Example
  void partsAreReachedByPath() {
    var layout = Layout.parse("(4,(2,3)):(6,(1,2))");
    assertEquals(Layout.parse("3:2"), layout.at(1, 1));
    assertEquals(layout, layout.at());
    assertThrows(IndexOutOfBoundsException.class, () -> layout.at(2));
    assertThrows(IndexOutOfBoundsException.class, () -> layout.take(1, 3));
    assertEquals("(3,(4),5)", IntTuple.parse("(3,4,5)").group(1, 2).toString());
    assertThrows(IllegalArgumentException.class, () -> IntTuple.parse("(3,4)").unflatten(IntTuple.parse("(1,(1,1))")));
  }

  @Property
  void orderedLayoutsAreCompactWhateverTheTies(@ForAll("shapes") IntTuple shape, @ForAll("orders") IntTuple order) {
    Assume.that(order.isWeaklyCongruentTo(shape));
    var layout = Layout.ordered(shape, order);
    assertArrayEquals(LongStream.range(0, shape.size()).toArray(), Arrays.stream(layout.offsets()).sorted().toArray());
  }

  @Example
  void theOrderSaysWhichModeIsFastest() {
    assertEquals("(2,4,3):(12,1,4)", Layout.ordered(IntTuple.parse("(2,4,3)"), IntTuple.parse("(2,0,1)")).toString());
    assertEquals("(4,8):(1,4)", Layout.ordered(IntTuple.parse("(4,8)"), IntTuple.parse("(0,0)")).toString());
    assertEquals("((2,4),3):((3,6),1)", Layout.ordered(IntTuple.parse("((2,4),3)"), IntTuple.parse("(1,0)"))
        .toString());
    assertEquals("((2,4),3):((4,1),8)", Layout.ordered(IntTuple.parse("((2,4),3)"), IntTuple.parse("((1,0),2)"))
        .toString());
    assertThrows(IllegalArgumentException.class, () ->
        Layout.ordered(IntTuple.parse("(2,4)"), IntTuple.parse("(0,1,2)")));
  }

  @Property
  void compactLikeKeepsTheOrderOfOffsetsAndWhatIsRepeated(@ForAll("layouts") Layout layout) {
    var compact = CompactOrder.like(layout);
    assertEquals(layout.shape(), compact.shape());
    long[] from = layout.flatStride();
    long[] to = compact.flatStride();
    long[] extents = layout.flatShape();
    for (int i = 0; i < from.length; i++) {
      for (int j = 0; j < i; j++) {
        if (extents[i] > 1 && extents[j] > 1 && from[i] < from[j]) assertTrue(to[i] < to[j], layout + " and "
            + compact);
      }
      if (extents[i] > 1) assertEquals(from[i] == 0, to[i] == 0);
    }
    long[] reached = Arrays.stream(compact.offsets()).sorted().distinct().toArray();
    assertArrayEquals(LongStream.range(0, layout.filterZeros().size()).toArray(), reached);
  }

  @Example
  void equalStridesDoNotMakeACompactLayoutOverlap() {
    assertEquals("(4,4):(1,4)", CompactOrder.like(Layout.parse("(4,4):(3,3)")).toString());
  }

  @Property
  void fragmentsArePackedWithModeZeroFirst(@ForAll("layouts") Layout layout) {
    var fragment = CompactOrder.fragmentLike(layout);
    assertEquals(layout.shape(), fragment.shape());
    long[] reached = Arrays.stream(fragment.offsets()).sorted().distinct().toArray();
    assertArrayEquals(LongStream.range(0, reached.length).toArray(), reached);
    if (layout.rank() > 1) {
      long below = layout.mode(0).filterZeros().size();
      assertEquals(below - 1, Arrays.stream(fragment.mode(0).offsets()).max().orElseThrow());
      assertEquals(layout.size() / layout.mode(0).size() * below, reached.length);
    }
  }

  @Property
  void theNullspaceIsWhatFilterZerosTakesAway(@ForAll("layouts") Layout layout) {
    var nullspace = ZeroStrides.nullspace(layout);
    assertEquals(layout.size(), layout.filterZeros().size() * nullspace.size());
    for (long i = 0; i < nullspace.size(); i++) assertEquals(0, layout.apply(nullspace.apply(i)));
    assertEquals(nullspace.size(), Arrays.stream(nullspace.offsets()).distinct().count());
    assertEquals(Layout.parse("1:0"), ZeroStrides.nullspace(nullspace));
  }

  @Property
  void filteringByProfileKeepsTheTreeAndEachImage(@ForAll("layouts") Layout layout) {
    var profile = TupleArithmetic.productEach(layout.shape());
    var filtered = layout.filter(profile);
    assertEquals(layout.rank(), filtered.rank());
    for (int i = 0; i < layout.rank(); i++) {
      assertArrayEquals(distinct(layout.mode(i)), distinct(filtered.mode(i)));
    }
    assertEquals(layout.filterZeros(), layout.filterZeros(profile));
  }

  @Property
  void theExtendedNormalFormAgreesBeyondTheSize(@ForAll("layouts") Layout layout) {
    var normal = layout.coalesceExtended();
    assertEquals(layout.size(), normal.size());
    for (long i = 0; i < 3 * layout.size() + 3; i++) assertEquals(layout.apply(i), normal.apply(i));
    assertTrue(normal.rank() <= layout.flatten().rank());
  }

  private static long[] distinct(Layout layout) {
    return Arrays.stream(layout.offsets()).sorted().distinct().toArray();
  }

  @Provide
  Arbitrary<Layout> layouts() {
    return Layouts.any();
  }

  @Provide
  Arbitrary<IntTuple> shapes() {
    return Tuples.shapes();
  }

  @Provide
  Arbitrary<IntTuple> orders() {
    return Tuples.between(0, 3);
  }
}
