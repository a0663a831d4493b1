package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Numbers up to the largest of 64 bits: results are those of unbounded integers, or an error, never a wrap. */
class LargeNumberProperties {
  private static final int SAMPLES = 20;

  @Property
  void offsetsAreThoseOfUnboundedIntegersOrAnError(@ForAll("large") Layout layout, @ForAll Random random) {
    for (int sample = 0; sample < SAMPLES; sample++) {
      var coordinate = layout.shape().map(extent -> random.nextLong(extent));
      expect(defined(coordinate, layout), () -> layout.apply(coordinate));
    }
  }

  @Property
  void sizeAndCosizeAreThoseOfUnboundedIntegersOrAnError(@ForAll("large") Layout layout) {
    var size = BigInteger.ONE;
    var reach = BigInteger.ONE;
    long[] strides = layout.flatStride();
    long[] extents = layout.flatShape();
    for (int k = 0; k < extents.length; k++) {
      size = size.multiply(BigInteger.valueOf(extents[k]));
      reach = reach.add(BigInteger.valueOf(extents[k] - 1).multiply(BigInteger.valueOf(strides[k]).abs()));
    }
    expect(size, layout::size);
    expect(reach, layout::cosize);
  }

  /** The rows and columns of a matrix that is larger than any memory. */
  @Property
  void compositionsAreThoseOfUnboundedIntegersOrAnError(@ForAll("large") Layout outer, @ForAll("tile") Layout inner,
      @ForAll Random random) {
    try {
      if (!(Composition.of(outer, inner) instanceof Decision.Defined<Layout> defined)) return;
      for (int sample = 0; sample < SAMPLES; sample++) {
        long index = random.nextLong(inner.size());
        var demanded = at(outer, at(inner, BigInteger.valueOf(index)));
        expect(demanded, () -> defined.result().apply(index));
      }
    } catch (ArithmeticException _) {
      // Extents and strides of the result may exceed 64 bits as well.
    }
  }

  /** Together with its complement a layout is compact: sorted, each stride is the product of the extents before. */
  @Property
  void complementsFillWhatIsLeftOfHugeBounds(@ForAll("chain") Layout layout, @ForAll Random random) {
    long bound = random.nextLong(1, Long.MAX_VALUE >> 8);
    var complement = layout.complement(bound);
    var modes = new ArrayList<long[]>();
    for (var part : List.of(layout, complement)) {
      for (int k = 0; k < part.flatShape().length; k++) {
        if (part.flatShape()[k] > 1) modes.add(new long[] {part.flatShape()[k], part.flatStride()[k]});
      }
    }
    modes.sort(Comparator.comparingLong(mode -> mode[1]));
    var reached = BigInteger.ONE;
    for (var mode : modes) {
      assertEquals(reached, BigInteger.valueOf(mode[1]), () -> layout + " and " + complement);
      reached = reached.multiply(BigInteger.valueOf(mode[0]));
    }
    assertTrue(reached.compareTo(BigInteger.valueOf(bound)) >= 0);
  }

  private static void expect(BigInteger demanded, LongSource source) {
    if (demanded.bitLength() > 63) {
      assertThrows(ArithmeticException.class, source::get);
    } else {
      try {
        assertEquals(demanded.longValueExact(), source.get());
      } catch (ArithmeticException _) {
        // A sum may leave 64 bits on the way to a result that does not.
      }
    }
  }

  private interface LongSource {
    long get();
  }

  private static BigInteger defined(IntTuple coordinate, Layout layout) {
    long[] digits = coordinate.flatten();
    long[] strides = layout.flatStride();
    var sum = BigInteger.ZERO;
    for (int k = 0; k < digits.length; k++) {
      sum = sum.add(BigInteger.valueOf(digits[k]).multiply(BigInteger.valueOf(strides[k])));
    }
    return sum;
  }

  /** The value at an index, the last mode without bound. */
  private static BigInteger at(Layout layout, BigInteger index) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    var sum = BigInteger.ZERO;
    for (int k = 0; k < extents.length; k++) {
      var split = index.divideAndRemainder(BigInteger.valueOf(extents[k]));
      var digit = k + 1 == extents.length ? index : split[1];
      sum = sum.add(digit.multiply(BigInteger.valueOf(strides[k])));
      index = split[0];
    }
    return sum;
  }

  /** Nested, of one to four modes, extents up to 2^40, strides of both signs up to 2^62, zeros among them. */
  @Provide
  Arbitrary<Layout> large() {
    var extent = Arbitraries.oneOf(Arbitraries.longs().between(1, 9), Arbitraries.longs().between(1, 1L << 40));
    var stride = Arbitraries.oneOf(Arbitraries.longs().between(-9, 9),
        Arbitraries.longs().between(-1L << 62, 1L << 62));
    var leaf = extent.flatMap(e -> stride.map(d -> Layout.of(e, d)));
    var pair = leaf.list().ofMinSize(1).ofMaxSize(2).map(Layout::of);
    return Arbitraries.oneOf(leaf, Arbitraries.oneOf(leaf, pair).list().ofMinSize(1).ofMaxSize(2).map(Layout::of));
  }

  /** What picks some elements far apart. */
  @Provide
  Arbitrary<Layout> tile() {
    var leaf = Arbitraries.longs().between(1, 64).flatMap(e -> Arbitraries.longs().between(0, 1L << 50)
        .map(d -> Layout.of(e, d)));
    return Arbitraries.oneOf(leaf, leaf.list().ofMinSize(1).ofMaxSize(2).map(Layout::of));
  }

  /** Modes in any order whose strides, sorted, each continue or jump over a multiple of what is below. */
  @Provide
  Arbitrary<Layout> chain() {
    var step = Arbitraries.longs().between(1, 1 << 9);
    return step.list().ofSize(6).flatMap(steps -> Arbitraries.shuffle(0, 1, 2).map(order -> {
      var modes = new Layout[3];
      long stride = 1;
      for (int k = 0; k < 3; k++) {
        stride *= steps.get(2 * k);
        modes[order.get(k)] = Layout.of(steps.get(2 * k + 1), stride);
        stride *= steps.get(2 * k + 1);
      }
      return Layout.of(modes);
    }));
  }
}
