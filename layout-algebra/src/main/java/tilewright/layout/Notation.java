package tilewright.layout;

import tilewright.layout.f2.Swizzle;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.TupleNotation;

/** Literals in CuTe's notation: layouts of integer strides, composed layouts and tilers; without operations. */
final class Notation {
  private Notation() {}

  static Layout layout(NodeReader reader, Node node) {
    if (!(node instanceof Node.Strided strided)) return Layout.columnMajor(TupleNotation.shape(reader, node));
    var shape = TupleNotation.shape(reader, strided.shape());
    var stride = TupleNotation.tuple(reader, strided.stride());
    if (!shape.isCongruentTo(stride)) {
      throw reader.expected(strided.colon(), "strides with the tree of " + shape + " (got " + stride + ")");
    }
    return Layout.of(shape, stride);
  }

  static OffsetMap offsetMap(NodeReader reader, Node node) {
    if (!(node instanceof Node.Composed composed)) return layout(reader, node);
    return new ComposedLayout(Swizzle.read(reader, composed.outer()), composed.offset().value(),
        layout(reader, composed.inner()));
  }

  static Tiler tiler(NodeReader reader, Node node) {
    return switch (node) {
      case Node.Free _ -> new Tiler.Keep();
      case Node.ByMode byMode -> new Tiler.ByMode(NodeReader.each(byMode.modes(), mode -> tiler(reader, mode)));
      default -> new Tiler.ByLayout(layout(reader, node));
    };
  }
}
