package tilewright.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;

/** Strides that make a shape compact, its modes counted in some order; modes of extent 1 have stride 0. */
public final class CompactOrder {
  private CompactOrder() {}

  static IntTuple columnMajor(IntTuple shape) {
    return columnMajor(shape, new long[] {1});
  }

  /** Column-major strides; the dialect chooses the stride of modes of extent 1. */
  public static IntTuple columnMajor(IntTuple shape, Dialect dialect) {
    return switch (dialect.unitStride()) {
      case ZERO -> columnMajor(shape);
      case PRODUCT -> TupleArithmetic.prefixProduct(shape);
    };
  }

  static IntTuple rowMajor(IntTuple shape) {
    long[] extents = shape.flatten();
    return inOrder(shape, IntStream.range(0, extents.length).map(i -> extents.length - 1 - i).boxed().toList());
  }

  private static IntTuple columnMajor(IntTuple shape, long[] product) {
    return switch (shape) {
      case IntTuple.Leaf(long extent) -> {
        long stride = extent == 1 ? 0 : product[0];
        product[0] = Math.multiplyExact(product[0], extent);
        yield IntTuple.of(stride);
      }
      case IntTuple.Tuple t -> IntTuple.of(t.elements().stream().map(e -> columnMajor(e, product)).toList());
    };
  }

  /** Smallest order first, equal orders left to right; what stands at one integer of the order is column-major. */
  static IntTuple by(IntTuple shape, IntTuple order) {
    if (!order.isWeaklyCongruentTo(shape)) {
      throw new IllegalArgumentException("order " + order + " does not fit shape " + shape
          + ": write an integer for each mode, or for all that is in it");
    }
    var ranks = new ArrayList<Long>();
    spread(shape, order, ranks);
    return inOrder(shape, IntStream.range(0, ranks.size()).boxed().sorted(Comparator.comparing(ranks::get)).toList());
  }

  private static void spread(IntTuple shape, IntTuple order, List<Long> ranks) {
    if (order instanceof IntTuple.Leaf(long rank)) {
      shape.leaves().forEach(_ -> ranks.add(rank));
    } else {
      for (int i = 0; i < order.rank(); i++) spread(shape.mode(i), order.mode(i), ranks);
    }
  }

  private static IntTuple inOrder(IntTuple shape, List<Integer> places) {
    long[] extents = shape.flatten();
    var strides = new long[extents.length];
    long product = 1;
    for (int place : places) {
      strides[place] = extents[place] == 1 ? 0 : product;
      product = Math.multiplyExact(product, extents[place]);
    }
    return IntTuple.flat(strides).unflatten(shape);
  }

  /**
   * The layout's shape, compact in the order of its strides' sizes (CuTe's make_layout_like); modes of stride 0 keep it
   * and take no room.
   */
  public static Layout like(Layout layout) {
    var roomy = ZeroStrides.removed(layout);
    return new Layout(layout.shape(), by(roomy.shape(), layout.stride().map(Math::absExact)));
  }

  /** Like {@link #like}, for a fragment in registers: mode 0 first and column-major, with room for repeated modes. */
  public static Layout fragmentLike(Layout layout) {
    if (layout.rank() < 2) return Layout.columnMajor(layout.shape());
    var first = new Layout(layout.mode(0).shape(), columnMajor(ZeroStrides.removed(layout.mode(0)).shape()));
    var rest = layout.take(1, layout.rank());
    var order = by(rest.shape(), rest.stride().map(Math::absExact));
    long below = ZeroStrides.removed(layout.mode(0)).size();
    return new Layout(rest.shape(), order.map(stride -> Math.multiplyExact(stride, below))).prepend(first);
  }
}
