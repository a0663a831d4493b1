package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Shapes by the places of their elements. */
class ShapeTest {
  private static final long SEED = 20260728;

  /** The places of all elements, the last mode fastest. */
  private static List<Long> places(Shape shape) {
    var places = new ArrayList<Long>();
    for (long i = 0; i < shape.elements(); i++) {
      long rest = i;
      long place = 0;
      for (int mode = shape.rank() - 1; mode >= 0; mode--) {
        place += rest % shape.extent(mode) * shape.stride(mode);
        rest /= shape.extent(mode);
      }
      places.add(place);
    }
    return places;
  }

  private static Shape random(Random random) {
    var extents = random.longs(1 + random.nextInt(4), 1, 5).boxed().toList();
    var shape = Shape.rowMajor(extents);
    for (int mode = 0; mode < shape.rank(); mode++) {
      if (random.nextInt(3) == 0) shape = shape.exchanged(mode, random.nextInt(shape.rank()));
      if (random.nextInt(4) == 0) shape = shape.with(mode, shape.extent(mode), random.nextInt(3));
    }
    return shape;
  }

  @Test
  void mergedModesSayTheSame() {
    var random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      var shape = random(random);
      var merged = Shape.merged(List.of(shape)).getFirst();
      assertEquals(places(shape), places(merged), shape + " as " + merged + ", seed " + SEED);
      assertTrue(merged.rank() <= Math.max(1, shape.rank()));
    }
    assertEquals(1, Shape.merged(List.of(Shape.rowMajor(2, 3, 4), Shape.rowMajor(2, 3, 4))).getFirst().rank());
  }

  /** Where there are strides, they name the same places; where elements lie in order, there always are. */
  @Test
  void reshapedTensorsHaveTheirElementsInOrder() {
    var random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      var shape = random(random);
      var others = factors(random, shape.elements());
      var reshaped = shape.reshaped(others);
      reshaped.ifPresent(other ->
          assertEquals(places(shape), places(other), shape + " as " + other + ", seed " + SEED));
      if (shape.isContiguous()) assertTrue(reshaped.isPresent(), shape + " as " + others + ", seed " + SEED);
      assertTrue(shape.reshaped(shape.extents()).isPresent(), shape + ", seed " + SEED);
    }
  }

  private static List<Long> factors(Random random, long elements) {
    var factors = new ArrayList<Long>();
    long rest = elements;
    while (rest > 1) {
      long left = rest;
      var divisors = LongStream.rangeClosed(1, left).filter(d -> left % d == 0).toArray();
      long factor = divisors[random.nextInt(divisors.length)];
      factors.add(factor);
      rest /= factor;
    }
    if (factors.isEmpty()) factors.add(1L);
    return factors;
  }

  @Test
  void contiguousMeansInOrderWithoutGaps() {
    var random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      var shape = random(random);
      assertEquals(places(shape).equals(LongStream.range(0, shape.elements()).boxed().toList()), shape.isContiguous(),
          shape.extents() + ":" + shape.strides() + ", seed " + SEED);
    }
  }

  @Test
  void blocksOfThePoolAreLittleLargerThanAskedFor() {
    for (long bytes = 1; bytes < 1L << 40; bytes = bytes * 9 / 8 + 1) {
      long size = DevicePool.sizeOf(bytes);
      assertTrue(size >= bytes && size % Storage.ALIGNMENT == 0, bytes + " as " + size);
      assertTrue(bytes < 2048 || size <= bytes * 5 / 4, bytes + " as " + size);
      assertEquals(size, DevicePool.sizeOf(size));
    }
  }
}
