package tilewright.layout.xor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.IntTuple;

/**
 * A layout whose modes combine by carry-less products and XOR instead of products and sums: {@code (8,8):(^1,^9)} is
 * (x, y) ↦ x ⊕ 9·y over F2. Swizzled layouts and Triton's linear layouts are of this kind; with extents that are
 * powers of two it is an F2-linear map of the index's bits.
 *
 * @param shape extents of at least 0
 * @param stride congruent to the shape; integers of at least 0, as polynomials over F2
 */
public record XorLayout(IntTuple shape, IntTuple stride) {
  public XorLayout {
    if (!shape.isCongruentTo(stride)) {
      throw new IllegalArgumentException("shape " + shape + " and stride " + stride + " are not congruent");
    }
    var negative = stride.leaves().filter(s -> s < 0).findFirst();
    if (negative.isPresent()) {
      throw new IllegalArgumentException("XOR stride " + negative.getAsLong() + " of " + stride
          + " is negative: the bits of a polynomial are those of an integer of at least 0");
    }
  }

  /** Reads {@code (8,8):(^1,^9)}: as CuTe's notation, with {@code ^} before each stride. */
  public static XorLayout parse(String text) {
    return NodeReader.read(text, XorNotation::layout);
  }

  /**
   * The bits of a matrix's input as modes of a shape, each leaf in the fewest modes.
   *
   * @throws IllegalArgumentException unless the extents are powers of two with as many bits as the matrix has columns
   */
  public static XorLayout of(IntTuple shape, F2Matrix matrix) {
    return XorAlgebra.of(shape, matrix);
  }

  /** A linear layout as Triton gives it: for each mode, the offsets of its indices 1, 2, 4, …. */
  public static XorLayout ofBases(List<List<Long>> bases) {
    var shape = IntTuple.of(bases.stream().map(mode -> IntTuple.of(1L << mode.size())).toList());
    return of(shape, F2Matrix.of(bases.stream().flatMap(List::stream).toList()));
  }

  /**
   * A linear layout with several outputs, like Triton's: each basis a coordinate, the first output in
   * the lowest bits of the offset.
   *
   * @param outputs extents of the outputs, powers of two
   */
  public static XorLayout ofBases(List<List<IntTuple>> bases, IntTuple outputs) {
    return XorAlgebra.ofBases(bases, outputs);
  }

  public int rank() {
    return shape.rank();
  }

  public long size() {
    return shape.size();
  }

  /** The offset at a colexicographic index; beyond the size the last mode runs on. */
  public long apply(long index) {
    return apply(IntTuple.of(index));
  }

  public long apply(IntTuple coordinate) {
    return xor(coordinate, shape, stride);
  }

  private static long xor(IntTuple coordinate, IntTuple shape, IntTuple stride) {
    if (coordinate instanceof IntTuple.Leaf leaf) return xor(leaf.value(), shape.flatten(), stride.flatten());
    if (coordinate.rank() != shape.rank() || shape instanceof IntTuple.Leaf) {
      throw new IllegalArgumentException("coordinate " + coordinate + " does not fit shape " + shape);
    }
    long sum = 0;
    for (int i = 0; i < coordinate.rank(); i++) sum ^= xor(coordinate.mode(i), shape.mode(i), stride.mode(i));
    return sum;
  }

  private static long xor(long index, long[] extents, long[] strides) {
    if (index < 0) throw new IllegalArgumentException("index " + index + " is negative: XOR layouts count from 0");
    long sum = 0;
    for (int i = 0; i < extents.length; i++) {
      boolean last = i + 1 == extents.length;
      if (!last && extents[i] == 0) throw new IllegalArgumentException("index " + index + " in an empty shape");
      sum ^= carrylessProduct(last ? index : index % extents[i], strides[i]);
      if (!last) index /= extents[i];
    }
    return sum;
  }

  static long carrylessProduct(long a, long b) {
    if (a == 0 || b == 0) return 0;
    if (Long.numberOfLeadingZeros(a) + Long.numberOfLeadingZeros(b) < 64) {
      throw new ArithmeticException("the carry-less product of " + a + " and " + b + " has more than 63 bits");
    }
    long product = 0;
    for (long rest = a; rest != 0; rest &= rest - 1) product ^= b << Long.numberOfTrailingZeros(rest);
    return product;
  }

  /** This function on its domain in the fewest modes: a mode of extent 2^k is continued by its stride ≪ k. */
  public XorLayout coalesce() {
    if (size() == 0) return new XorLayout(IntTuple.of(0), IntTuple.of(0));
    var extents = new ArrayList<Long>();
    var strides = new ArrayList<Long>();
    long[] flatShape = shape.flatten();
    long[] flatStride = stride.flatten();
    for (int i = 0; i < flatShape.length; i++) {
      if (flatShape[i] == 1) continue;
      if (!extents.isEmpty() && continues(extents.getLast(), strides.getLast(), flatStride[i])) {
        extents.add(Math.multiplyExact(extents.removeLast(), flatShape[i]));
      } else {
        extents.add(flatShape[i]);
        strides.add(flatStride[i]);
      }
    }
    if (extents.isEmpty()) return new XorLayout(IntTuple.of(1), IntTuple.of(0));
    var flat = new XorLayout(tuple(extents), tuple(strides));
    return flat.rank() == 1 ? new XorLayout(flat.shape.mode(0), flat.stride.mode(0)) : flat;
  }

  private static boolean continues(long extent, long stride, long next) {
    if (stride == 0 || next == 0) return stride == next;
    if (Long.bitCount(extent) != 1 || Long.numberOfLeadingZeros(extent) + Long.numberOfLeadingZeros(stride) < 64) {
      return false;
    }
    return carrylessProduct(extent, stride) == next;
  }

  // Over F2, for extents that are powers of two

  /** The map of index bits to offset bits. */
  public Decision<F2Matrix> tryMatrix() {
    return XorAlgebra.matrix(this);
  }

  /** The offsets, for each mode, of its indices 1, 2, 4, …: the bases of Triton's linear layouts. */
  public Decision<List<List<Long>>> tryBases() {
    return XorAlgebra.bases(this);
  }

  /** The bases as coordinates of several outputs, the first in the lowest bits of the offset. */
  public Decision<List<List<IntTuple>>> tryBases(IntTuple outputs) {
    return XorAlgebra.bases(this, outputs);
  }

  /** R with R(i) = this(inner(i)) for all i below inner's size, refining inner's shape. */
  public Decision<XorLayout> tryComposition(XorLayout inner) {
    return XorAlgebra.composition(this, inner);
  }

  /** The longest R with this(R(i)) = i. */
  public Decision<XorLayout> tryRightInverse() {
    return XorAlgebra.rightInverse(this);
  }

  /** L with L(this(i)) = i. */
  public Decision<XorLayout> tryLeftInverse() {
    return XorAlgebra.leftInverse(this);
  }

  /** The longest R with this(R(i)) = other(R(i)) = i: what both have in common as a vector. */
  public Decision<XorLayout> tryMaxCommon(XorLayout other) {
    return XorAlgebra.maxCommon(this, other);
  }

  /** These offsets with integer strides, refining this shape. */
  public Decision<Layout> tryLayout() {
    return XorAlgebra.layout(this);
  }

  /** These offsets as a swizzle of the fewest bits before integer strides that refine this shape. */
  public Decision<ComposedLayout> trySwizzled() {
    return XorAlgebra.swizzled(this);
  }

  private static IntTuple tuple(List<Long> values) {
    return IntTuple.of(values.stream().map(IntTuple::of).toList());
  }

  @Override
  public String toString() {
    return shape + ":" + text(stride);
  }

  private static String text(IntTuple stride) {
    return switch (stride) {
      case IntTuple.Leaf leaf -> "^" + leaf;
      case IntTuple.Tuple t -> t.elements().stream().map(XorLayout::text).collect(Collectors.joining(",", "(", ")"));
    };
  }
}
