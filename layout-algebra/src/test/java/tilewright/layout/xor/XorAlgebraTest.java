package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/** Operations on XOR layouts against the tables of all small ones. */
class XorAlgebraTest {

  /** All of 2^bits elements in two modes with offsets below a bound, a power of two. */
  private static List<XorLayout> all(int bits, long bound) {
    var all = new ArrayList<XorLayout>();
    for (long code = 0; code < Math.powExact(bound, bits); code++) {
      var columns = new ArrayList<Long>();
      long rest = code;
      for (int bit = 0; bit < bits; bit++, rest /= bound) columns.add(rest % bound);
      long first = 1L << bits / 2;
      all.add(XorLayout.of(IntTuple.flat(first, (1L << bits) / first), F2Matrix.of(columns)));
    }
    return all;
  }

  private static List<XorLayout> small() {
    return Stream.of(all(0, 1), all(1, 8), all(2, 8), all(3, 8)).flatMap(List::stream).toList();
  }

  private static <T> T checked(Decision<T> decision) {
    var defined = assertInstanceOf(Decision.Defined.class, decision, decision::toString);
    assertTrue(defined.certificate().holds(), defined.certificate().explain());
    return decision.orElseThrow();
  }

  private static Set<Long> image(XorLayout layout) {
    var image = new HashSet<Long>();
    for (long i = 0; i < layout.size(); i++) image.add(layout.apply(i));
    return image;
  }

  private static long prefix(Set<Long> offsets) {
    return LongStream.iterate(0, i -> i + 1).filter(i -> !offsets.contains(i)).findFirst().orElseThrow();
  }

  @Test
  void compositionIsDefinedExactlyWhereOffsetsAreIndices() {
    for (var outer : Stream.of(all(1, 4), all(2, 4), all(3, 4)).flatMap(List::stream).toList()) {
      for (var inner : all(2, 8)) {
        boolean inDomain = image(inner).stream().allMatch(offset -> offset < outer.size());
        if (outer.tryComposition(inner) instanceof Decision.Undefined<XorLayout> undefined) {
          assertTrue(!inDomain, undefined.message());
          assertTrue(undefined.message().contains(outer + " has " + outer.size() + " elements"), undefined.message());
          continue;
        }
        assertTrue(inDomain, outer + " ∘ " + inner);
        var composed = checked(outer.tryComposition(inner));
        assertTrue(inner.shape().isCompatibleWith(composed.shape()));
        for (long i = 0; i < inner.size(); i++) assertEquals(outer.apply(inner.apply(i)), composed.apply(i));
      }
    }
  }

  @Test
  void aRightInverseIsTheLongestPrefixOfOffsets() {
    for (var layout : small()) {
      var inverse = checked(layout.tryRightInverse());
      assertEquals(prefix(image(layout)), inverse.size(), "right inverse of " + layout);
      for (long i = 0; i < inverse.size(); i++) assertEquals(i, layout.apply(inverse.apply(i)));
    }
  }

  @Test
  void exactlyInjectiveLayoutsHaveALeftInverse() {
    for (var layout : small()) {
      boolean injective = image(layout).size() == layout.size();
      if (layout.tryLeftInverse() instanceof Decision.Undefined<XorLayout> undefined) {
        assertTrue(!injective, undefined.message());
        var witness = undefined.witness().orElseThrow();
        assertEquals(layout.apply(0), layout.apply(witness.coordinate()), "two indices of one offset");
        assertEquals(witness.index(), Coordinates.index(witness.coordinate(), layout.shape()));
        assertEquals(List.of(witness.index(), 0L), List.of(witness.demanded(), witness.given()));
        assertTrue(witness.index() > 0 && undefined.message().contains("0 and " + witness.index()));
      } else {
        assertTrue(injective, layout.toString());
        var inverse = checked(layout.tryLeftInverse());
        for (long i = 0; i < layout.size(); i++) assertEquals(i, inverse.apply(layout.apply(i)));
      }
    }
  }

  @Test
  void whatTwoHaveInCommonIsTheLongestPrefixThatBothReachTogether() {
    for (var first : Stream.of(all(1, 8), all(2, 4), all(3, 4)).flatMap(List::stream).toList()) {
      for (var second : Stream.of(all(2, 4), all(3, 4)).flatMap(List::stream).toList()) {
        var both = new HashSet<Long>();
        for (long i = 0; i < Math.min(first.size(), second.size()); i++) {
          if (first.apply(i) == second.apply(i)) both.add(first.apply(i));
        }
        var common = checked(first.tryMaxCommon(second));
        assertEquals(prefix(both), common.size(), first + " and " + second);
        for (long i = 0; i < common.size(); i++) {
          assertEquals(i, first.apply(common.apply(i)));
          assertEquals(i, second.apply(common.apply(i)));
        }
      }
    }
  }

  @Test
  void integerStridesExistExactlyWhereTheOffsetsOfIndexBitsAddUp() {
    for (var layout : small()) {
      boolean addsUp = addsUp(layout, Swizzle.IDENTITY);
      if (layout.tryLayout() instanceof Decision.Undefined<Layout> undefined) {
        assertTrue(!addsUp, undefined.message());
        var witness = undefined.witness().orElseThrow();
        assertEquals(layout.apply(witness.coordinate()), witness.demanded());
        long high = Long.highestOneBit(witness.index());
        assertEquals(layout.apply(high) + layout.apply(witness.index() - high), witness.given());
        assertTrue(witness.demanded() != witness.given(), undefined.message());
      } else {
        assertTrue(addsUp, layout.toString());
        var plain = checked(layout.tryLayout());
        assertTrue(layout.shape().isCompatibleWith(plain.shape()));
        for (long i = 0; i < layout.size(); i++) assertEquals(layout.apply(i), plain.apply(i));
      }
    }
  }

  /** Whether, behind a swizzle, each offset is the sum of those of its index's bits. */
  private static boolean addsUp(XorLayout layout, Swizzle swizzle) {
    for (long i = 0; i < layout.size(); i++) {
      long high = Long.highestOneBit(i);
      long sum = swizzle.apply(layout.apply(high)) + (i == 0 ? 0 : swizzle.apply(layout.apply(i - high)));
      if (sum != swizzle.apply(layout.apply(i))) return false;
    }
    return true;
  }

  @Test
  void aSwizzleBeforeIntegerStridesHasTheFewestBitsThatAnyNeeds() {
    var swizzles = new ArrayList<Swizzle>();
    for (int bits = 0; bits <= 3; bits++) {
      for (int base = 0; base <= 8; base++) {
        for (int shift = -8; shift <= 8; shift++) {
          boolean legal = Math.abs(shift) >= bits && bits + base + Math.abs(shift) <= 9;
          if (legal) swizzles.add(new Swizzle(bits, base, shift));
        }
      }
    }
    for (var layout : small()) {
      var fewest = swizzles.stream().filter(s -> addsUp(layout, s)).mapToInt(Swizzle::bits).min();
      if (layout.trySwizzled() instanceof Decision.Undefined<ComposedLayout> undefined) {
        assertTrue(fewest.isEmpty(), undefined.message());
      } else {
        var swizzled = checked(layout.trySwizzled());
        assertEquals(fewest.orElseThrow(), swizzled.swizzle().bits(), layout.toString());
        assertTrue(layout.shape().isCompatibleWith(swizzled.shape()));
        for (long i = 0; i < layout.size(); i++) assertEquals(layout.apply(i), swizzled.apply(i));
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> otherExtentsThanPowersOfTwoAreRefused() {
    var three = XorLayout.parse("(2,3):(^1,^4)");
    var two = XorLayout.parse("2:^1");
    return Stream.<Function<XorLayout, Decision<?>>>of(XorLayout::tryMatrix, XorLayout::tryBases,
        x -> x.tryBases(IntTuple.of(16)), x -> x.tryComposition(two), two::tryComposition, XorLayout::tryRightInverse,
        XorLayout::tryLeftInverse, x -> x.tryMaxCommon(two), two::tryMaxCommon, XorLayout::tryLayout,
        XorLayout::trySwizzled).map(operation -> DynamicTest.dynamicTest("refused", () -> {
          var undefined = assertInstanceOf(Decision.Undefined.class, operation.apply(three));
          assertEquals("every extent is a power of two", undefined.condition());
          assertTrue(undefined.operation().contains(three.toString()), undefined.operation());
        }));
  }

  @Test
  void theModeOfAnotherExtentIsNamed() {
    var undefined = assertInstanceOf(Decision.Undefined.class, XorLayout.parse("(2,3):(^1,^4)").tryMatrix());
    assertEquals(1, undefined.mode().orElseThrow());
    assertEquals("got 3", undefined.numbers());
    assertInstanceOf(Decision.Undefined.class, XorLayout.parse("0:^1").tryMatrix());
    assertEquals(F2Matrix.of(), checked(XorLayout.parse("(1,1):(^3,^5)").tryMatrix()));
  }

  @Test
  void theExtentsOfAShapeHoldTheInputsOfItsMatrix() {
    var matrix = F2Matrix.of(1, 4, 2);
    assertEquals("(2,(1,(2,2))):(^1,(^0,(^4,^2)))", XorLayout.of(IntTuple.parse("(2,(1,4))"), matrix).toString());
    for (var shape : List.of("(2,2)", "(4,4)", "(3,8)", "(8,0)", "(8,-1)", "7")) {
      var refusal = assertThrows(IllegalArgumentException.class, () -> XorLayout.of(IntTuple.parse(shape), matrix));
      assertTrue(refusal.getMessage().contains("together 2^3"), refusal.getMessage());
    }
  }
}
