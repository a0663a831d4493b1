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

  @Override
  public String toString() {
    return swizzle + "o" + offset + "o" + layout;
  }
}
