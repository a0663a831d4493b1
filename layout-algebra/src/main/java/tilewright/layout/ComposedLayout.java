package tilewright.layout;

import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;

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

  // Operations on the layout behind the swizzle

  /** This swizzle and offset in front of another layout. */
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

  /** sw ∘ this, where the two swizzles are one. */
  public Decision<ComposedLayout> trySwizzle(Swizzle outer) {
    return switch (outer.tryComposition(swizzle)) {
      case Decision.Undefined<Swizzle> undefined -> undefined.as(outer + " ∘ " + this);
      case Decision.Defined<Swizzle>(var both, var certificate) ->
          new Decision.Defined<>(new ComposedLayout(both, offset, layout), certificate);
    };
  }

  @Override
  public String toString() {
    return swizzle + "o" + offset + "o" + layout;
  }
}
