package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A layout: coordinates of {@code shape} ↦ Σ coordinate · stride. An integer coordinate counts colexicographically, the
 * first mode fastest; beyond the size the last mode runs on, as in CuTe.
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
    return Notation.layout(text);
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

  /** Compact, the first mode fastest; the stride of modes of extent 1 is the dialect's. */
  public static Layout columnMajor(IntTuple shape, Dialect dialect) {
    return new Layout(shape, CompactOrder.columnMajor(shape, dialect.unitStride()));
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

  /** At most {@code count} indices of the shape, spread from its first mode on (CuTe's domain_distribute). */
  public static Layout distributed(IntTuple shape, long count) {
    return Distribution.of(shape, count);
  }

  // Structure

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
    long[] extents = flatShape();
    long[] strides = flatStride();
    long reach = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 0) return 0;
      reach = Math.addExact(reach, Math.multiplyExact(extents[i] - 1, Math.abs(strides[i])));
    }
    return reach;
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

  /** With one more mode, the last. */
  public Layout append(Layout mode) {
    return Surgery.append(this, mode);
  }

  /** With one more mode, the first. */
  public Layout prepend(Layout mode) {
    return Surgery.prepend(this, mode);
  }

  /** With another mode at {@code index}. */
  public Layout replace(int index, Layout mode) {
    return Surgery.replace(this, index, mode);
  }

  /** The leaves in the tree of {@code profile}, which has as many. */
  public Layout unflatten(IntTuple profile) {
    return Surgery.unflatten(this, profile);
  }

  /** What stands at each {@code _} of the coordinate, side by side; a bare {@code _} is all. */
  public Layout slice(SliceCoordinate coordinate) {
    return new Layout(coordinate.slice(shape), coordinate.slice(stride));
  }

  /** The slice and where it begins: slice(i) + offset is this layout's offset with i at the free places. */
  public Slice sliceAndOffset(SliceCoordinate coordinate) {
    return new Slice(slice(coordinate), apply(coordinate.origin()));
  }

  /** What stands at each integer of the coordinate, side by side; a bare integer is all. */
  public Layout dice(SliceCoordinate coordinate) {
    return new Layout(coordinate.dice(shape), coordinate.dice(stride));
  }

  /** This shape, compact in the order of these strides; what has stride 0 keeps it (CuTe's make_layout_like). */
  public Layout compactLike() {
    return CompactOrder.like(this);
  }

  /** This shape in registers: mode 0 first and column-major, then the rest as it is ordered here. */
  public Layout fragmentLike() {
    return CompactOrder.fragmentLike(this);
  }

  /** One more than the offset of the last index, as pycute counts; 0 when the layout is empty. */
  public long cosizeOfLastIndex() {
    return size() == 0 ? 0 : Math.addExact(apply(size() - 1), 1);
  }

  /** One more than the greatest offset; 0 when the layout is empty. */
  public long cosizeOfGreatestOffset() {
    return size() == 0 ? 0 : Math.addExact(Image.of(this).greatest(), 1);
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

  /** Whether both map every index alike, also beyond the sizes, where the last mode runs on. */
  public boolean isSameExtendedFunction(Layout other) {
    return Coalesce.isSameExtended(this, other);
  }

  /** Whether both have the same set of offsets; a {@link SearchLimitException} beyond lists of four million. */
  public boolean isSameImage(Layout other) {
    return Image.of(this).sameSet(Image.of(other));
  }

  // Element widths

  /** Over vectors of n elements (CuTe's upcast); a mode's last vector may reach beyond its elements. */
  public Layout upcast(long n) {
    return tryUpcast(n, Casting.EXACT).orElseThrow();
  }

  public Decision<Layout> tryUpcast(long n, Casting casting) {
    return Recast.up(this, n, casting);
  }

  /** Over n parts of each element (CuTe's downcast). */
  public Layout downcast(long n) {
    return tryDowncast(n, Casting.EXACT).orElseThrow();
  }

  public Decision<Layout> tryDowncast(long n, Casting casting) {
    return Recast.down(this, n, casting);
  }

  /** Over elements of another width, both in bits: a downcast to what both are multiples of, then an upcast. */
  public Layout recast(long fromBits, long toBits) {
    return tryRecast(fromBits, toBits, Casting.EXACT).orElseThrow();
  }

  public Decision<Layout> tryRecast(long fromBits, long toBits, Casting casting) {
    return Recast.of(this, fromBits, toBits, casting);
  }

  /** The greatest n for which the offsets are made of aligned runs of n (CuTe's max_alignment). */
  public long maxAlignment() {
    return Distribution.alignment(this);
  }

  // Operations

  /** The sum of both functions, where their domains, coalesced, have a common refinement. */
  public Decision<Layout> tryPlus(Layout other) {
    return Distribution.sum(this, other);
  }

  /** The same function on the same domain in the fewest modes: the unique normal form. */
  public Layout coalesce() {
    return Coalesce.all(this);
  }

  /** Coalesces what stands at each integer of the profile, and keeps the profile's tree. */
  public Layout coalesce(IntTuple profile) {
    return Surgery.byProfile(this, profile, Coalesce::all);
  }

  /** The same function on all indices, also those beyond the size, in the fewest modes (CuTe's coalesce_x). */
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

  /** The indices that only move along modes of stride 0: size = this size / filter size, and this(nullspace(i)) = 0. */
  public Layout nullspace() {
    return ZeroStrides.nullspace(this);
  }

  /** Without modes of stride 0 and coalesced: each offset once, if the rest is injective. */
  public Layout filter() {
    return Coalesce.filter(this);
  }

  /** R with R(i) = this(inner(i)) for all i below inner's size, refining inner's shape. */
  public Layout composition(Layout inner) {
    return tryComposition(inner).orElseThrow();
  }

  public Decision<Layout> tryComposition(Layout inner) {
    return Composition.of(this, inner);
  }

  /** R with R(i) = this(inner(i)): the offsets of the coordinates that {@code inner} names. */
  public Decision<Layout> tryComposition(CoordinateLayout inner) {
    return CoordinateComposition.of(this, inner);
  }

  /** As {@link #tryComposition(Layout)}, in the dialect's domain. */
  public Decision<Layout> tryComposition(Layout inner, Dialect dialect) {
    return Composition.of(this, inner, dialect);
  }

  /** By mode: each of the first modes composed with its tiler; further modes are dropped, as in CuTe C++. */
  public Layout composition(Tiler tiler) {
    return tryComposition(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryComposition(Tiler tiler, Dialect dialect) {
    return Composition.byMode(this, tiler, dialect);
  }

  /** The ordered layout that with this one tiles the integers up to {@code bound}, rounded up to whole tiles. */
  public Layout complement(long bound) {
    return tryComplement(bound).orElseThrow();
  }

  public Decision<Layout> tryComplement(long bound) {
    return Complement.of(this, bound);
  }

  /** The gaps between the offsets only; the bound that CuTe C++ defaults to, the cosize, adds none to them. */
  public Layout complement() {
    return tryComplement(Dialect.CUTE_CPP).orElseThrow();
  }

  /** As {@link #tryComplement(long)}; what an empty one is, is the dialect's. */
  public Decision<Layout> tryComplement(long bound, Dialect dialect) {
    return Complement.of(this, bound, dialect.emptyComplement());
  }

  /** The gaps between the offsets only; what an empty complement is, is the dialect's. */
  public Decision<Layout> tryComplement(Dialect dialect) {
    return tryComplement(1, dialect);
  }

  /** ((tile), (rest)): this ∘ (tile, complement of tile in this size). */
  public Layout logicalDivide(Layout tile) {
    return tryLogicalDivide(tile).orElseThrow();
  }

  public Decision<Layout> tryLogicalDivide(Layout tile) {
    return Division.logical(this, tile, Dialect.CUTE_CPP);
  }

  /** By mode: each of the first modes divided by its tiler. */
  public Layout logicalDivide(Tiler tiler) {
    return tryLogicalDivide(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryLogicalDivide(Tiler tiler, Dialect dialect) {
    return Division.of(dialect).logical(this, tiler);
  }

  /** ((tiles of all modes), (rests of all modes)). */
  public Layout zippedDivide(Tiler tiler) {
    return tryZippedDivide(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryZippedDivide(Tiler tiler, Dialect dialect) {
    return Division.of(dialect).zipped(this, tiler);
  }

  /** ((tiles), rest, rest, …). */
  public Layout tiledDivide(Tiler tiler) {
    return tryTiledDivide(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryTiledDivide(Tiler tiler, Dialect dialect) {
    return Division.of(dialect).tiled(this, tiler);
  }

  /** (tile, tile, …, rest, rest, …). */
  public Layout flatDivide(Tiler tiler) {
    return tryFlatDivide(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryFlatDivide(Tiler tiler, Dialect dialect) {
    return Division.of(dialect).flat(this, tiler);
  }

  /** (this, copies): mode 0 is this, mode 1 lays {@code tiles} out over its complement. */
  public Layout logicalProduct(Layout tiles) {
    return tryLogicalProduct(tiles).orElseThrow();
  }

  public Decision<Layout> tryLogicalProduct(Layout tiles) {
    return Product.logical(this, tiles);
  }

  /** By mode: each of the first modes repeated as its tiler says. */
  public Layout logicalProduct(Tiler tiler) {
    return tryLogicalProduct(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryLogicalProduct(Tiler tiler, Dialect dialect) {
    return Product.of(dialect).logical(this, tiler);
  }

  /** ((blocks of all modes), (copies of all modes)). */
  public Layout zippedProduct(Tiler tiler) {
    return tryZippedProduct(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryZippedProduct(Tiler tiler, Dialect dialect) {
    return Product.of(dialect).zipped(this, tiler);
  }

  /** ((blocks), copies, copies, …). */
  public Layout tiledProduct(Tiler tiler) {
    return tryTiledProduct(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryTiledProduct(Tiler tiler, Dialect dialect) {
    return Product.of(dialect).tiled(this, tiler);
  }

  /** (block, block, …, copies, copies, …). */
  public Layout flatProduct(Tiler tiler) {
    return tryFlatProduct(tiler, Dialect.CUTE_CPP).orElseThrow();
  }

  public Decision<Layout> tryFlatProduct(Tiler tiler, Dialect dialect) {
    return Product.of(dialect).flat(this, tiler);
  }

  /** This block repeated as {@code tiles} says, by mode: mode i is (block mode i, tile mode i). */
  public Layout blockedProduct(Layout tiles) {
    return tryBlockedProduct(tiles).orElseThrow();
  }

  public Decision<Layout> tryBlockedProduct(Layout tiles) {
    return Product.blocked(this, tiles);
  }

  /** Like {@link #blockedProduct}, with the tile's mode first, so that the block's elements lie apart. */
  public Layout rakedProduct(Layout tiles) {
    return tryRakedProduct(tiles).orElseThrow();
  }

  public Decision<Layout> tryRakedProduct(Layout tiles) {
    return Product.raked(this, tiles);
  }

  /** This block repeated, column-major, until it fills {@code target}. */
  public Layout tileToShape(IntTuple target) {
    return tryTileToShape(target).orElseThrow();
  }

  public Decision<Layout> tryTileToShape(IntTuple target) {
    return Product.tileToShape(this, target, Optional.empty());
  }

  /** This block repeated until it fills {@code target}; the mode with the least entry of {@code order} first. */
  public Layout tileToShape(IntTuple target, IntTuple order) {
    return tryTileToShape(target, order).orElseThrow();
  }

  public Decision<Layout> tryTileToShape(IntTuple target, IntTuple order) {
    return Product.tileToShape(this, target, Optional.of(order));
  }

  /**
   * The longest R with this(R(i)) = i and R(i) below the size; where indices share offsets and there are more than 4096
   * or a million steps do not find it, the longest found.
   */
  public Layout rightInverse() {
    return tryRightInverse().orElseThrow();
  }

  /** As {@link #rightInverse()}, with a certificate; there always is one, for an empty layout the empty one. */
  public Decision<Layout> tryRightInverse() {
    return Inverse.right(this);
  }

  /** R with this(R(i)) = i, as long as the dialect's chain of strides makes it. */
  public Layout rightInverse(Dialect dialect) {
    return Inverse.right(this, dialect.rightInverse());
  }

  /** L with L(this(i)) = i. */
  public Layout leftInverse() {
    return tryLeftInverse().orElseThrow();
  }

  public Decision<Layout> tryLeftInverse() {
    return Inverse.left(this);
  }

  /** Q with this(Q(this(i))) = this(i): the left inverse, or one that gives the least index of each offset. */
  public Layout quasiInverse() {
    return tryQuasiInverse().orElseThrow();
  }

  public Decision<Layout> tryQuasiInverse() {
    return QuasiInverse.of(this);
  }

  /** The longest R with this(R(i)) = other(R(i)) = i: what one vector access may move from one to the other. */
  public Layout maxCommonLayout(Layout other) {
    return MaxCommon.of(this, other);
  }

  /** How many elements one vector access may move between two layouts. */
  public long maxCommonVector(Layout other) {
    return maxCommonLayout(other).size();
  }

  // Over F2

  /** Sw ∘ this with the same offsets as this ∘ inner; beyond the size the last mode runs on. */
  public Decision<ComposedLayout> tryComposition(Swizzle inner) {
    return SwizzleExchange.of(this, inner);
  }

  /** The same offsets with XOR strides: where extents are powers of two and sums have no carry. */
  public Decision<XorLayout> tryXor() {
    return Unswizzling.xor(new ComposedLayout(Swizzle.IDENTITY, 0, this));
  }

  /** The offsets of all indices below the size. */
  public long[] offsets() {
    var offsets = new long[Math.toIntExact(size())];
    if (offsets.length == 0) return offsets;
    long[] extents = flatShape();
    long[] strides = flatStride();
    int filled = 1;
    // Each mode repeats, further on, the table of the modes before it.
    for (int mode = 0; mode < extents.length; mode++) {
      for (int digit = 1; digit < extents[mode]; digit++) {
        long shift = Math.multiplyExact(digit, strides[mode]);
        for (int i = 0; i < filled; i++) offsets[digit * filled + i] = Math.addExact(offsets[i], shift);
      }
      filled *= (int) extents[mode];
    }
    return offsets;
  }

  @Override
  public String toString() {
    return shape + ":" + stride;
  }
}
