package tilewright.verification.laws;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;

/**
 * What a layout means, computed from its numbers alone: the oracle of all laws. Of the algebra it uses only the trees
 * of integers that layouts are made of.
 */
record Definition(long[] shape, long[] stride) {

  static Definition of(Layout layout) {
    return new Definition(leaves(layout.shape()), leaves(layout.stride()));
  }

  /** The offsets of 0…size − 1. */
  static long[] table(Layout layout) {
    return of(layout).table();
  }

  static long[] leaves(IntTuple tuple) {
    var leaves = new ArrayList<Long>();
    collect(tuple, leaves);
    return leaves.stream().mapToLong(x -> x).toArray();
  }

  private static void collect(IntTuple tuple, List<Long> leaves) {
    switch (tuple) {
      case IntTuple.Leaf leaf -> leaves.add(leaf.value());
      case IntTuple.Tuple t -> t.elements().forEach(e -> collect(e, leaves));
    }
  }

  int size() {
    return product(shape);
  }

  /** Of numbers whose product is small. */
  static int product(long[] numbers) {
    long product = 1;
    for (long number : numbers) product *= number;
    return Math.toIntExact(product);
  }

  /** Σ digit · stride, the first mode's digit counting fastest, the last mode's without bound. */
  long at(long index) {
    long offset = 0;
    int last = shape.length - 1;
    for (int k = 0; k < last; k++) {
      offset += index % shape[k] * stride[k];
      index /= shape[k];
    }
    return last < 0 ? 0 : offset + index * stride[last];
  }

  long[] table() {
    var table = new long[size()];
    for (int i = 0; i < table.length; i++) table[i] = at(i);
    return table;
  }

  /** Σ coordinate · stride, for a coordinate with one number a leaf. */
  static long atDigits(long[] digits, long[] stride) {
    return IntStream.range(0, digits.length).mapToLong(k -> digits[k] * stride[k]).sum();
  }

  /** The modes that offsets depend on: extent above 1, stride not 0. */
  Definition moving() {
    int[] moving = IntStream.range(0, shape.length).filter(k -> shape[k] > 1 && stride[k] != 0).toArray();
    return new Definition(IntStream.of(moving).mapToLong(k -> shape[k]).toArray(),
        IntStream.of(moving).mapToLong(k -> stride[k]).toArray());
  }

  /** One more than the largest minus the least offset: Σ (extent − 1)·|stride| + 1. */
  long cosize() {
    long reach = 1;
    for (int k = 0; k < shape.length; k++) reach += (shape[k] - 1) * Math.abs(stride[k]);
    return reach;
  }
}
