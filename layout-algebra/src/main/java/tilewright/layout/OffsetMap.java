package tilewright.layout;

import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.IntTuple;

/** A map from coordinates of a shape to offsets: a layout, or a swizzled layout. */
public sealed interface OffsetMap permits Layout, ComposedLayout {

  /** Reads a layout, or a composed layout such as {@code Sw<3,4,3>o0o(8,64):(64,1)}. */
  static OffsetMap parse(String text) {
    return NodeReader.read(text, Notation::offsetMap);
  }

  IntTuple shape();

  /** The offset of the coordinate with that colexicographic index. */
  long apply(long index);

  /** The offset of a coordinate. */
  long apply(IntTuple coordinate);

  default int rank() {
    return shape().rank();
  }

  default long size() {
    return shape().size();
  }
}
