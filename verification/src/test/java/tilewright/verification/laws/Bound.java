package tilewright.verification.laws;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/**
 * All layouts of depth 1 with at most so many modes and elements, extents from 1 on and strides in a range. Laws run
 * over the bounds of this class; {@code -Dtilewright.laws=full} takes the larger ones.
 */
record Bound(int rank, int size, int leastStride, int greatestStride) {
  private static final boolean FULL = System.getProperty("tilewright.laws", "").equals("full");

  /** For laws about one layout: rank ≤ 3, size ≤ 24, strides 0…12, or 0…24 when full. */
  static final Bound LAYOUTS = new Bound(3, 24, 0, FULL ? 24 : 12);

  /** The same with strides of both signs: rank ≤ 3, size ≤ 24, strides −4…4, or −9…9 when full. */
  static final Bound SIGNED = new Bound(3, 24, FULL ? -9 : -4, FULL ? 9 : 4);

  /** For laws about two layouts, the first: rank ≤ 2, size ≤ 12, strides 0…6, or 0…12 when full. */
  static final Bound LEFT = new Bound(2, 12, 0, FULL ? 12 : 6);

  /** The second: rank ≤ 2, size ≤ 8, strides 0…4, or size ≤ 12 and strides 0…8 when full. */
  static final Bound RIGHT = new Bound(2, FULL ? 12 : 8, 0, FULL ? 8 : 4);

  /** A first one whose gaps have both signs: rank ≤ 3, size ≤ 8, strides −1…2, or size ≤ 12, −2…4 when full. */
  static final Bound DEEP = new Bound(3, FULL ? 12 : 8, FULL ? -2 : -1, FULL ? 4 : 2);

  /** For divisions and products, whose results are larger: rank ≤ 2, size ≤ 8, strides 0…4, or 0…8 when full. */
  static final Bound FACTORS = new Bound(2, 8, 0, FULL ? 8 : 4);

  /** For laws about three layouts: rank ≤ 2, size ≤ 4, strides 0…2, or size ≤ 6 and strides 0…3 when full. */
  static final Bound TRIPLES = new Bound(2, FULL ? 6 : 4, 0, FULL ? 3 : 2);

  /** On all cores. */
  Stream<Layout> layouts() {
    return shapes().parallelStream().flatMap(this::strided);
  }

  private List<long[]> shapes() {
    var shapes = new ArrayList<long[]>();
    shapes.add(new long[0]);
    for (int next = 0; next < shapes.size(); next++) {
      var shape = shapes.get(next);
      if (shape.length == rank) continue;
      for (int extent = 1; extent * Definition.product(shape) <= size; extent++) {
        shapes.add(LongStream.concat(LongStream.of(shape), LongStream.of(extent)).toArray());
      }
    }
    return shapes;
  }

  private Stream<Layout> strided(long[] shape) {
    var tuple = IntTuple.flat(shape);
    long choices = greatestStride - leastStride + 1;
    long count = Math.powExact(choices, shape.length);
    return LongStream.range(0, count).mapToObj(number -> {
      var stride = new long[shape.length];
      long rest = number;
      for (int k = 0; k < stride.length; k++) {
        stride[k] = leastStride + rest % choices;
        rest /= choices;
      }
      return Layout.of(tuple, IntTuple.flat(stride));
    });
  }

  /** As a sentence of a report. */
  @Override
  public String toString() {
    return "rank ≤ " + rank + ", size ≤ " + size + ", strides " + leastStride + "…" + greatestStride;
  }
}
