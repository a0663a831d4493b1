package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;

/**
 * A layout: coordinates of {@code shape} ↦ Σ coordinate · stride. An integer coordinate counts colexicographically, the
 * first mode fastest; beyond the size the last mode runs on, as in CuTe.
 *
 * <p>Operations here throw where they have no result. A class for each, such as {@link Composition}, {@link Complement}
 * and {@link Inverse}, decides it: a {@link Decision} is the result with its certificate, or the reason for none.
 *
 * @param shape extents of at least 0
 * @param stride congruent to the shape, in elements
 */
public record Layout(IntTuple shape, IntTuple stride) implements OffsetMap {
  public Layout {
    if (!shape.isCongruentTo(stride)) {
      throw new IllegalArgumentException("shape " + shape + " and stride " + stride + " are not congruent");
    }
    if (shape.leaves().anyMatch(extent -> extent < 0)) {
      throw new IllegalArgumentException("shape " + shape + " has a negative extent: extents are at least 0");
    }
  }

  /** Reads CuTe's notation, such as {@code (4,(2,2)):(1,(4,8))}; a shape alone is column-major. */
  public static Layout parse(String text) {
    return NodeReader.read(text, Notation::layout);
  }

  public static Layout of(IntTuple shape, IntTuple stride) {
    return new Layout(shape, stride);
  }

  public static Layout of(long extent, long stride) {
    return new Layout(IntTuple.of(extent), IntTuple.of(stride));
  }

  /** The layouts as modes of one, their offsets added. */
  public static Layout of(Layout... modes) {
    return of(List.of(modes));
  }

  public static Layout of(List<Layout> modes) {
    return new Layout(IntTuple.of(modes.stream().map(Layout::shape).toList()),
        IntTuple.of(modes.stream().map(Layout::stride).toList()));
  }

  /** Compact, the first mode fastest; modes of extent 1 have stride 0. */
  public static Layout columnMajor(long... shape) {
    return columnMajor(IntTuple.flat(shape));
  }

  public static Layout columnMajor(IntTuple shape) {
    return new Layout(shape, CompactOrder.columnMajor(shape));
  }

  /** Compact, the last mode fastest; modes of extent 1 have stride 0. */
  public static Layout rowMajor(long... shape) {
    return rowMajor(IntTuple.flat(shape));
  }

  public static Layout rowMajor(IntTuple shape) {
    return new Layout(shape, CompactOrder.rowMajor(shape));
  }

  /**
   * Compact, the mode with the smallest order fastest, equal orders left to right (CuTe's make_ordered_layout).
   *
   * @param order weakly congruent to the shape; an integer over several modes counts them column-major
   */
  public static Layout ordered(IntTuple shape, IntTuple order) {
    return new Layout(shape, CompactOrder.by(shape, order));
  }

  public Layout mode(int index) {
    return new Layout(shape.mode(index), stride.mode(index));
  }

  public List<Layout> modes() {
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < rank(); i++) modes.add(mode(i));
    return modes;
  }

  public int depth() {
    return shape.depth();
  }

  public long[] flatShape() {
    return shape.flatten();
  }

  public long[] flatStride() {
    return stride.flatten();
  }

  /** One more than the distance that all modes together reach: Σ (extent − 1)·|stride| + 1; 0 for an empty layout. */
  public long cosize() {
    return Coordinates.cosize(shape, stride);
  }

  /** The part that a path of modes leads to; all for an empty path. */
  public Layout at(int... path) {
    return new Layout(shape.at(path), stride.at(path));
  }

  /** Modes {@code begin} to {@code end} − 1 as one. */
  public Layout group(int begin, int end) {
    return Surgery.group(this, begin, end);
  }

  /** Modes {@code begin} to {@code end} − 1 only. */
  public Layout take(int begin, int end) {
    return Surgery.take(this, begin, end);
  }

  /** These modes, in this order. */
  public Layout select(int... modes) {
    return Surgery.select(this, modes);
  }

  /** Returns this layout with one more mode, the last. */
  public Layout append(Layout mode) {
    return Surgery.append(this, mode);
  }

  /** Returns this layout with one more mode, the first. */
  public Layout prepend(Layout mode) {
    return Surgery.prepend(this, mode);
  }

  /** Returns this layout with another mode at {@code index}. */
  public Layout replace(int index, Layout mode) {
    return Surgery.replace(this, index, mode);
  }

  /** The leaves in the tree of {@code profile}, which has as many. */
  public Layout unflatten(IntTuple profile) {
    return Surgery.unflatten(this, profile);
  }

  /** The modes at each {@code _} of the coordinate, side by side; a bare {@code _} is all. */
  public Layout slice(SliceCoordinate coordinate) {
    return new Layout(coordinate.slice(shape), coordinate.slice(stride));
  }

  /** The slice and where it begins: slice(i) + offset is this layout's offset with i at the free places. */
  public Slice sliceAndOffset(SliceCoordinate coordinate) {
    return new Slice(slice(coordinate), apply(coordinate.origin()));
  }

  /** The modes at each integer of the coordinate, side by side; a bare integer is all. */
  public Layout dice(SliceCoordinate coordinate) {
    return new Layout(coordinate.dice(shape), coordinate.dice(stride));
  }

  /** All leaves as modes of a layout of depth 1. */
  public Layout flatten() {
    return new Layout(IntTuple.flat(flatShape()), IntTuple.flat(flatStride()));
  }

  // Evaluation

  @Override
  public long apply(long index) {
    return apply(IntTuple.of(index));
  }

  @Override
  public long apply(IntTuple coordinate) {
    return Coordinates.offset(coordinate, shape, stride);
  }

  /** The offsets of all indices below the size. */
  public long[] offsets() {
    return Coordinates.offsets(shape, stride);
  }

  /** The coordinate, congruent to the shape, of a colexicographic index; its last mode may lie beyond the extent. */
  public IntTuple coordinate(long index) {
    return Coordinates.of(index, shape);
  }

  // Predicates

  /** Whether no two indices have one offset; as hard to decide as {@link #collision()}. */
  public boolean isInjective() {
    return collision().isEmpty();
  }

  /**
   * Two indices with one offset, if there are any; decided in steps of the rank where modes lie beyond each other.
   *
   * @throws SearchLimitException where a million steps do not decide: with any strides it is as hard as subset sum
   */
  public Optional<Collision> collision() {
    return CollisionSearch.of(this);
  }

  /** Whether the offsets are exactly 0…n−1. */
  public boolean isSurjectiveOnto(long n) {
    return Image.of(this).isRange(n);
  }

  /** Whether each of 0…size−1 is the offset of one index. */
  public boolean isBijective() {
    return isSurjectiveOnto(size());
  }

  /** Whether the offsets are 0…cosize−1 without gaps, be it with repeats. */
  public boolean isCompact() {
    return isSurjectiveOnto(cosize());
  }

  /** Whether both map each index below one size alike. */
  public boolean isSameFunction(Layout other) {
    return coalesce().equals(other.coalesce());
  }

  // Element widths

  /** Over vectors of n elements (CuTe's upcast); a mode's last vector may reach beyond its elements. */
  public Layout upcast(long n) {
    return Recast.up(this, n, Casting.EXACT).orElseThrow();
  }

  /** Over n parts of each element (CuTe's downcast). */
  public Layout downcast(long n) {
    return Recast.down(this, n, Casting.EXACT).orElseThrow();
  }

  /** Over elements of another width, both in bits: a downcast to what both are multiples of, then an upcast. */
  public Layout recast(long fromBits, long toBits) {
    return Recast.of(this, fromBits, toBits, Casting.EXACT).orElseThrow();
  }

  // Operations

  /** This function on its domain in the fewest modes: the unique normal form. */
  public Layout coalesce() {
    return Coalesce.all(this);
  }

  /** Coalesces what stands at each integer of the profile, and keeps the profile's tree. */
  public Layout coalesce(IntTuple profile) {
    return Surgery.byProfile(this, profile, Coalesce::all);
  }

  /** This function on all indices, also those beyond the size, in the fewest modes (CuTe's coalesce_x). */
  public Layout coalesceExtended() {
    return Modes.layout(Coalesce.extended(this));
  }

  /** Modes of stride 0 at extent 1. */
  public Layout filterZeros() {
    return ZeroStrides.removed(this);
  }

  /** Modes of stride 0 at extent 1 where the profile reaches. */
  public Layout filterZeros(IntTuple profile) {
    return Surgery.byProfile(this, profile, ZeroStrides::removed);
  }

  /** The filter of what stands at each integer of the profile. */
  public Layout filter(IntTuple profile) {
    return Surgery.byProfile(this, profile, Coalesce::filter);
  }

  /** Without modes of stride 0 and coalesced: each offset once, if the rest is injective. */
  public Layout filter() {
    return Coalesce.filter(this);
  }

  /** R with R(i) = this(inner(i)) for all i below inner's size, refining inner's shape. */
  public Layout composition(Layout inner) {
    return Composition.of(this, inner).orElseThrow();
  }

  /** By mode: each of the first modes composed with its tiler; further modes are dropped, as in CuTe C++. */
  public Layout composition(Tiler tiler) {
    return Composition.byMode(this, tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  /** The ordered layout that with this one tiles the integers up to {@code bound}, rounded up to whole tiles. */
  public Layout complement(long bound) {
    return Complement.of(this, bound).orElseThrow();
  }

  /** The gaps between the offsets only; the bound that CuTe C++ defaults to, the cosize, adds none to them. */
  public Layout complement() {
    return Complement.of(this, 1).orElseThrow();
  }

  /** ((tile), (rest)): this ∘ (tile, complement of tile in this size). */
  public Layout logicalDivide(Layout tile) {
    return Division.logical(this, tile).orElseThrow();
  }

  /** By mode: each of the first modes divided by its tiler. */
  public Layout logicalDivide(Tiler tiler) {
    return Division.of(Dialect.CUTE_CPP).logical(this, tiler).orElseThrow();
  }

  /** ((tiles of all modes), (rests of all modes)). */
  public Layout zippedDivide(Tiler tiler) {
    return Division.of(Dialect.CUTE_CPP).zipped(this, tiler).orElseThrow();
  }

  /** ((tiles), rest, rest, …). */
  public Layout tiledDivide(Tiler tiler) {
    return Division.of(Dialect.CUTE_CPP).tiled(this, tiler).orElseThrow();
  }

  /** (tile, tile, …, rest, rest, …). */
  public Layout flatDivide(Tiler tiler) {
    return Division.of(Dialect.CUTE_CPP).flat(this, tiler).orElseThrow();
  }

  /** (this, copies): mode 0 is this, mode 1 lays {@code tiles} out over its complement. */
  public Layout logicalProduct(Layout tiles) {
    return Product.logical(this, tiles).orElseThrow();
  }

  /** By mode: each of the first modes repeated as its tiler says. */
  public Layout logicalProduct(Tiler tiler) {
    return Product.of(Dialect.CUTE_CPP).logical(this, tiler).orElseThrow();
  }

  /** ((blocks of all modes), (copies of all modes)). */
  public Layout zippedProduct(Tiler tiler) {
    return Product.of(Dialect.CUTE_CPP).zipped(this, tiler).orElseThrow();
  }

  /** ((blocks), copies, copies, …). */
  public Layout tiledProduct(Tiler tiler) {
    return Product.of(Dialect.CUTE_CPP).tiled(this, tiler).orElseThrow();
  }

  /** (block, block, …, copies, copies, …). */
  public Layout flatProduct(Tiler tiler) {
    return Product.of(Dialect.CUTE_CPP).flat(this, tiler).orElseThrow();
  }

  /** This block repeated as {@code tiles} says, by mode: mode i is (block mode i, tile mode i). */
  public Layout blockedProduct(Layout tiles) {
    return Product.blocked(this, tiles).orElseThrow();
  }

  /** Like {@link #blockedProduct}, with the tile's mode first, so that the block's elements lie apart. */
  public Layout rakedProduct(Layout tiles) {
    return Product.raked(this, tiles).orElseThrow();
  }

  /** This block repeated, column-major, until it fills {@code target}. */
  public Layout tileToShape(IntTuple target) {
    return Product.tileToShape(this, target).orElseThrow();
  }

  /** This block repeated until it fills {@code target}; the mode with the least entry of {@code order} first. */
  public Layout tileToShape(IntTuple target, IntTuple order) {
    return Product.tileToShape(this, target, order).orElseThrow();
  }

  /**
   * The longest R with this(R(i)) = i and R(i) below the size; where indices share offsets and there are more than 4096
   * or a million steps do not find it, the longest found.
   */
  public Layout rightInverse() {
    return Inverse.right(this).orElseThrow();
  }

  /** L with L(this(i)) = i. */
  public Layout leftInverse() {
    return Inverse.left(this).orElseThrow();
  }

  /** Q with this(Q(this(i))) = this(i): the left inverse, or one that gives the least index of each offset. */
  public Layout quasiInverse() {
    return QuasiInverse.of(this).orElseThrow();
  }

  /** The longest R with this(R(i)) = other(R(i)) = i: what one vector access may move from one to the other. */
  public Layout maxCommonLayout(Layout other) {
    return MaxCommon.of(this, other);
  }

  @Override
  public String toString() {
    return shape + ":" + stride;
  }
}
