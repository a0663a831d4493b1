package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/**
 * Every composition of small layouts, against the table of offsets that defines it: some layout that refines the right
 * operand's shape has the table exactly where a result is given.
 */
class SmallCompositionsTest {
  private static final List<Layout> RIGHT = right();

  @Test
  void withOneAndTwoModesOnTheLeft() {
    for (var mode : modes(4, -2, -1, 0, 1, 2, 3, 6)) {
      check(mode);
      for (var second : modes(3, -2, 0, 1, 3, 4)) check(Layout.of(mode, second));
    }
  }

  @Test
  void withThreeModesOnTheLeft() {
    for (var first : List.of(Layout.of(2, 1), Layout.of(3, 1), Layout.of(2, 2), Layout.of(3, -1))) {
      for (var second : List.of(Layout.of(2, 3), Layout.of(3, 5), Layout.of(2, 1), Layout.of(2, 4))) {
        for (long stride : new long[] {-1, 1, 5, 8, 12}) check(Layout.of(first, second, Layout.of(2, stride)));
      }
    }
  }

  private static void check(Layout outer) {
    for (var inner : RIGHT) {
      var leaves = leaves(outer, inner);
      switch (Composition.of(outer, inner)) {
        case Decision.Defined<Layout>(var result, var certificate) -> assertDefined(outer, inner, result, certificate);
        case Decision.Undefined<Layout> undefined -> assertRefused(outer, inner, leaves, undefined);
      }
    }
  }

  private static void assertDefined(Layout outer, Layout inner, Layout result, Certificate certificate) {
    for (long i = 0; i < inner.size(); i++) {
      assertEquals(at(outer, inner.apply(i)), result.apply(i), () -> outer + " ∘ " + inner + " is not " + result);
    }
    assertTrue(inner.shape().isCompatibleWith(result.shape()), () -> inner + " is not refined by " + result);
    assertTrue(certificate.holds(), () -> outer + " ∘ " + inner + ": " + certificate.explain());
    for (var leaf : refining(inner.shape(), result)) {
      var modes = Modes.of(leaf).list();
      for (int i = 1; i < modes.size(); i++) {
        assertNotEquals(modes.get(i - 1).reach(), modes.get(i).stride(), () -> result + " has needless modes");
      }
      assertTrue(leaf.size() != 1 || leaf.equals(Layout.of(1, 0)), () -> result + " moves a mode of one element");
    }
  }

  private static void assertRefused(Layout outer, Layout inner, List<Leaf> leaves, Decision.Undefined<Layout> refused) {
    var witness = refused.witness().orElseThrow(() -> new AssertionError(refused.message()));
    assertTrue(witness.index() >= 0 && witness.index() < inner.size(), refused::message);
    assertEquals(inner.coordinate(witness.index()), witness.coordinate(), refused::message);
    if (countsBackwards(inner)) {
      assertEquals(inner.apply(witness.index()), witness.given(), refused::message);
      assertTrue(outer.rank() > 1 && witness.given() < 0 && witness.demanded() == 0, refused::message);
      return;
    }
    assertEquals(at(outer, inner.apply(witness.index())), witness.demanded(), refused::message);
    assertEquals(given(leaves, witness.index()), witness.given(), refused::message);
    assertNotEquals(witness.demanded(), witness.given(), refused::message);
    if (refused.mode().isPresent()) {
      int mode = refused.mode().getAsInt();
      for (int i = 0; i < inner.rank(); i++) {
        var coordinate = witness.coordinate() instanceof IntTuple.Tuple t ? t.mode(i) : witness.coordinate();
        boolean moved = coordinate.leaves().anyMatch(c -> c != 0);
        assertEquals(i == mode, moved, refused::message);
      }
    }
  }

  /** What a layout would have to give: the sum of what it gives along each leaf, where the first offsets settle it. */
  private static long given(List<Leaf> leaves, long index) {
    long sum = 0;
    for (var leaf : leaves) {
      sum += leaf.forced(index % leaf.extent());
      index /= leaf.extent();
    }
    return sum;
  }

  /** The left operand along one leaf of the right one. */
  private record Leaf(Layout outer, long extent, long stride) {

    /** Mode by mode each as long as it is linear; the last one, where no whole number of it fits, goes on for good. */
    long forced(long coordinate) {
      long below = 1;
      long sum = 0;
      while (below < extent) {
        long step = at(outer, below * stride);
        long linear = 1;
        while (linear * below < extent && at(outer, linear * below * stride) == linear * step) linear++;
        boolean whole = extent % (below * linear) == 0;
        sum += (whole ? coordinate / below % linear : coordinate / below) * step;
        if (!whole) break;
        below *= linear;
      }
      return sum;
    }
  }

  private static List<Leaf> leaves(Layout outer, Layout inner) {
    var leaves = new ArrayList<Leaf>();
    for (var mode : Modes.of(inner).list()) leaves.add(new Leaf(outer, mode.extent(), mode.stride()));
    return leaves;
  }

  /** The offset of any index: the last mode has no end. */
  private static long at(Layout layout, long index) {
    var modes = Modes.of(layout).list();
    long sum = 0;
    for (var mode : modes.subList(0, modes.size() - 1)) {
      sum += Math.floorMod(index, mode.extent()) * mode.stride();
      index = Math.floorDiv(index, mode.extent());
    }
    return sum + index * modes.getLast().stride();
  }

  /** Then some index is negative, which several modes have no coordinate for. */
  private static boolean countsBackwards(Layout inner) {
    return Modes.of(inner).list().stream().anyMatch(m -> m.extent() > 1 && m.stride() < 0);
  }

  /** The parts of a layout that refine the shape's leaves. */
  private static List<Layout> refining(IntTuple shape, Layout layout) {
    if (shape instanceof IntTuple.Leaf) return List.of(layout);
    var parts = new ArrayList<Layout>();
    for (int i = 0; i < shape.rank(); i++) parts.addAll(refining(shape.mode(i), layout.mode(i)));
    return parts;
  }

  private static List<Layout> right() {
    var all = new ArrayList<Layout>();
    for (long extent : new long[] {1, 2, 3, 4, 6, 8}) {
      for (long stride : new long[] {-1, 0, 1, 2, 3, 4, 6}) all.add(Layout.of(extent, stride));
    }
    for (var first : modes(3, 0, 1, 2, 3)) {
      for (var second : modes(4, -1, 0, 1, 2, 3, 6)) all.add(Layout.of(first, second));
    }
    for (var text : List.of("((2,3),2):((1,2),6)", "(2,(2,2)):(3,(1,2))", "((2,2),(2,2)):((1,1),(2,4))",
        "((4,2),3):((3,0),1)", "(1,(1,4)):(1,(2,3))", "(3,(3,2)):(0,(1,4))")) {
      all.add(Layout.parse(text));
    }
    return all;
  }

  private static List<Layout> modes(long largest, long... strides) {
    var all = new ArrayList<Layout>();
    for (long extent = 1; extent <= largest; extent++) {
      for (long stride : strides) all.add(Layout.of(extent, stride));
    }
    return all;
  }
}
