package tilewright.layout;

/** A layout behind a swizzle: coordinate ↦ swizzle(offset + layout(coordinate)). */
public record ComposedLayout(Swizzle swizzle, long offset, Layout layout) implements OffsetMap {

  @Override
  public IntTuple shape() {
    return layout.shape();
  }

  @Override
  public long apply(long index) {
    return swizzle.apply(Math.addExact(offset, layout.apply(index)));
  }

  @Override
  public long apply(IntTuple coordinate) {
    return swizzle.apply(Math.addExact(offset, layout.apply(coordinate)));
  }

  /**
   * One more than the largest offset, swizzle included; CuTe's {@code cosize} is that of the layout behind it.
   *
   * @throws SearchLimitException where sums carry and there are more than 2^24 elements
   */
  public long cosize() {
    return SwizzledReach.of(this);
  }

  // Operations on the layout behind the swizzle

  /** The same swizzle and offset in front of another layout. */
  public ComposedLayout with(Layout inner) {
    return new ComposedLayout(swizzle, offset, inner);
  }

  /** R with R(i) = this(inner(i)) for all i below inner's size, refining inner's shape. */
  public ComposedLayout composition(Layout inner) {
    return with(layout.composition(inner));
  }

  public ComposedLayout composition(Tiler tiler) {
    return with(layout.composition(tiler));
  }

  /** The part of the coordinates left free; those that are fixed move the offset before the swizzle. */
  public ComposedLayout slice(SliceCoordinate coordinate) {
    var slice = layout.sliceAndOffset(coordinate);
    return new ComposedLayout(swizzle, Math.addExact(offset, slice.offset()), slice.layout());
  }

  public ComposedLayout coalesce() {
    return with(layout.coalesce());
  }

  public ComposedLayout coalesce(IntTuple profile) {
    return with(layout.coalesce(profile));
  }

  public ComposedLayout logicalDivide(Tiler tiler) {
    return with(layout.logicalDivide(tiler));
  }

  public ComposedLayout zippedDivide(Tiler tiler) {
    return with(layout.zippedDivide(tiler));
  }

  public ComposedLayout tiledDivide(Tiler tiler) {
    return with(layout.tiledDivide(tiler));
  }

  public ComposedLayout flatDivide(Tiler tiler) {
    return with(layout.flatDivide(tiler));
  }

  // Element widths

  /**
   * Over vectors of n elements, n a power of two; CuTe's {@code upcast<n>}. Undefined where the offset lies within a
   * vector or the swizzle would take a vector's elements apart.
   */
  public Decision<ComposedLayout> tryUpcast(long n) {
    return SwizzledCast.up(this, n);
  }

  /** Over n parts of each element, n a power of two; CuTe's {@code downcast<n>}. */
  public Decision<ComposedLayout> tryDowncast(long n) {
    return SwizzledCast.down(this, n);
  }

  /** Over elements of {@code toBits} instead of {@code fromBits} bits, of which one is 2^k times the other. */
  public Decision<ComposedLayout> tryRecast(long fromBits, long toBits) {
    return SwizzledCast.of(this, fromBits, toBits);
  }

  // Other forms

  /** sw ∘ this, where the two swizzles are one. */
  public Decision<ComposedLayout> trySwizzle(Swizzle outer) {
    return switch (outer.tryComposition(swizzle)) {
      case Decision.Undefined<Swizzle> undefined -> undefined.as(outer + " ∘ " + this);
      case Decision.Defined<Swizzle>(var both, var certificate) ->
          new Decision.Defined<>(new ComposedLayout(both, offset, layout), certificate);
    };
  }

  /** The same offsets without a swizzle, as an offset and a layout that refines this shape behind the identity. */
  public Decision<ComposedLayout> tryPlain() {
    return Unswizzling.of(this);
  }

  /** The same offsets with XOR strides, refining this shape. */
  public Decision<XorLayout> tryXor() {
    return Unswizzling.xor(this);
  }

  /** The longest R with this(R(i)) = i, where sums have no carry. */
  public Decision<XorLayout> tryRightInverse() {
    return Unswizzling.inverse(this, "right inverse of " + this, XorLayout::tryRightInverse);
  }

  /** L with L(this(i)) = i, where sums have no carry. */
  public Decision<XorLayout> tryLeftInverse() {
    return Unswizzling.inverse(this, "left inverse of " + this, XorLayout::tryLeftInverse);
  }

  @Override
  public String toString() {
    return swizzle + "o" + offset + "o" + layout;
  }
}
