package tilewright.layout.xor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;

/** Whether an offset, a layout and a swizzle are affine in the bits of the index, by their tables. */
class AffineBitsTest {

  /** Every offset below 6 before every small layout of powers of two, strides downward among them. */
  private static List<ComposedLayout> maps() {
    var maps = new ArrayList<ComposedLayout>();
    var swizzles = List.of("Sw<0,0,0>", "Sw<1,0,1>", "Sw<1,1,-2>", "Sw<2,0,2>");
    for (var shape : List.of("(2,2)", "(4,2)", "(1,4)", "(2,(2,2))")) {
      long[] extents = IntTuple.parse(shape).flatten();
      for (int code = 0; code < Math.powExact(8, extents.length); code++) {
        var strides = new long[extents.length];
        for (int k = 0; k < strides.length; k++) strides[k] = (code >> 3 * k & 7) - 2;
        var layout = new Layout(IntTuple.parse(shape), IntTuple.flat(strides).unflatten(IntTuple.parse(shape)));
        for (long offset = 0; offset < 6; offset++) {
          var swizzle = Swizzle.parse(swizzles.get((int) (code + offset) % swizzles.size()));
          maps.add(new ComposedLayout(swizzle, offset, layout));
        }
      }
    }
    return maps;
  }

  private static long lowest(ComposedLayout map) {
    long lowest = map.offset();
    for (long i = 0; i < map.size(); i++) lowest = Math.min(lowest, map.offset() + map.layout().apply(i));
    return lowest;
  }

  /** What index would have if its bits acted by XOR alone. */
  private static long xor(ComposedLayout map, long index) {
    long xor = map.apply(0);
    for (long bit = 1; bit <= index; bit *= 2) if ((index & bit) != 0) xor ^= map.apply(bit) ^ map.apply(0);
    return xor;
  }

  @Test
  void aMapIsAffineExactlyWhereEachOffsetIsTheXorOfItsIndexBits() {
    int[] counts = new int[3];
    for (var map : maps()) {
      boolean affine = true;
      for (long i = 0; i < map.size() && lowest(map) >= 0; i++) affine &= xor(map, i) == map.apply(i);
      switch (AffineBits.of(map)) {
        case Decision.Defined<AffineBits>(var bits, var certificate) -> {
          counts[0]++;
          assertTrue(affine && certificate.holds(), map.toString());
          for (long i = 0; i < map.size(); i++) assertEquals(map.apply(i), bits.apply(i), map.toString());
        }
        case Decision.Undefined<AffineBits> undefined when undefined.witness().isEmpty() -> {
          counts[1]++;
          assertEquals("the lowest is " + lowest(map), undefined.numbers());
          assertTrue(lowest(map) < 0, undefined.message());
        }
        case Decision.Undefined<AffineBits>(_, _, _, var numbers, var witness) -> {
          counts[2]++;
          assertTrue(!affine, map.toString());
          long index = witness.orElseThrow().index();
          var coordinate = witness.orElseThrow().coordinate();
          assertEquals(map.apply(index), map.apply(coordinate));
          assertEquals(new Witness(coordinate, index, map.apply(index), xor(map, index)), witness.orElseThrow());
          assertNotEquals(map.apply(index), xor(map, index));
          long low = Long.numberOfTrailingZeros(index);
          long high = Long.numberOfTrailingZeros(Long.highestOneBit(index));
          assertEquals(2, Long.bitCount(index));
          assertTrue(numbers.startsWith("index bits " + low + " and " + high + " both change the bits of "), numbers);
        }
      }
    }
    assertTrue(counts[0] > 500 && counts[1] > 500 && counts[2] > 500, counts[0] + ", " + counts[1] + ", " + counts[2]);
  }

  @Test
  void anAffineMapIsALayoutExactlyWhereTheStepsOfItsIndexBitsAddUp() {
    int[] counts = new int[2];
    for (var map : maps()) {
      if (!(AffineBits.of(map) instanceof Decision.Defined<AffineBits>(var bits, _))) continue;
      boolean addsUp = true;
      for (long i = 0; i < map.size(); i++) addsUp &= sum(map, i) == map.apply(i);
      switch (bits.layout("the question")) {
        case Decision.Defined<ComposedLayout>(var plain, var certificate) -> {
          counts[0]++;
          assertTrue(addsUp && certificate.holds(), map.toString());
          assertTrue(map.shape().isCompatibleWith(plain.shape()));
          assertEquals(Swizzle.IDENTITY, plain.swizzle());
          for (long i = 0; i < map.size(); i++) assertEquals(map.apply(i), plain.apply(i), map.toString());
        }
        case Decision.Undefined<ComposedLayout> undefined -> {
          counts[1]++;
          assertTrue(!addsUp, map.toString());
          assertEquals("the question", undefined.operation());
          var witness = undefined.witness().orElseThrow();
          assertEquals(map.apply(witness.coordinate()), map.apply(witness.index()));
          assertEquals(map.apply(witness.index()), witness.demanded());
          assertEquals(sum(map, witness.index()), witness.given());
          assertNotEquals(witness.demanded(), witness.given(), map.toString());
        }
      }
    }
    assertTrue(counts[0] > 500 && counts[1] > 20, counts[0] + " plain, " + counts[1] + " not");
  }

  /** What index would have if the steps of its bits added up. */
  private static long sum(ComposedLayout map, long index) {
    long sum = map.apply(0);
    for (long bit = 1; bit <= index; bit *= 2) if ((index & bit) != 0) sum += map.apply(bit) - map.apply(0);
    return sum;
  }

  @Test
  void theClashingBitsAreNamed() {
    // 3 + 1 flips the bits of 7, 3 + 4 those of 4.
    var undefined = assertInstanceOf(Decision.Undefined.class,
        AffineBits.of((ComposedLayout) OffsetMap.parse("Sw<0,0,0>o3o(2,2):(1,4)")));
    assertEquals("index bits 0 and 1 both change the bits of 4", undefined.numbers());
  }

  @Test
  void everyExtentIsAPowerOfTwo() {
    var undefined = assertInstanceOf(Decision.Undefined.class,
        AffineBits.of((ComposedLayout) OffsetMap.parse("Sw<0,0,0>o0o(2,3):(1,2)")));
    assertEquals("got 3 at leaf 1", undefined.numbers());
    assertInstanceOf(Decision.Undefined.class, AffineBits.of((ComposedLayout) OffsetMap.parse("Sw<0,0,0>o0o0:1")));
  }
}
