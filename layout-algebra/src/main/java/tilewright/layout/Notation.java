package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.Parser;

/** Literals in CuTe's notation: tuples, layouts of each kind, tilers, swizzles; without operations. */
final class Notation {
  private final String text;

  private Notation(String text) {
    this.text = text;
  }

  static IntTuple tuple(String text) {
    return read(text, Notation::tuple);
  }

  static Layout layout(String text) {
    return read(text, Notation::layout);
  }

  static Tiler tiler(String text) {
    return read(text, Notation::tiler);
  }

  static OffsetMap offsetMap(String text) {
    return read(text, (n, node) -> node instanceof Node.Composed composed ? n.composed(composed) : n.layout(node));
  }

  static Swizzle swizzle(String text) {
    return read(text, Notation::swizzle);
  }

  static CoordinateLayout coordinateLayout(String text) {
    return read(text, Notation::coordinateLayout);
  }

  static XorLayout xorLayout(String text) {
    return read(text, Notation::xorLayout);
  }

  static SliceCoordinate sliceCoordinate(String text) {
    return read(text, Notation::sliceCoordinate);
  }

  private static <T> T read(String text, BiFunction<Notation, Node, T> rule) {
    return rule.apply(new Notation(text), Parser.parse(text));
  }

  private IntTuple tuple(Node node) {
    return switch (node) {
      case Node.Number number -> IntTuple.of(number.value());
      case Node.Tuple tuple -> IntTuple.of(each(tuple.elements(), this::tuple));
      default -> throw expected(node.position(), "an integer or a tuple of integers");
    };
  }

  private SliceCoordinate sliceCoordinate(Node node) {
    return switch (node) {
      case Node.Free _ -> new SliceCoordinate.Free();
      case Node.Number number -> new SliceCoordinate.Fixed(number.value());
      case Node.Tuple tuple -> new SliceCoordinate.Tuple(each(tuple.elements(), this::sliceCoordinate));
      default -> throw expected(node.position(), "an integer, _ or a tuple of such");
    };
  }

  private Layout layout(Node node) {
    if (!(node instanceof Node.Strided strided)) return Layout.columnMajor(shape(node));
    var shape = shape(strided.shape());
    var stride = tuple(strided.stride());
    if (!shape.isCongruentTo(stride)) {
      throw expected(strided.colon(), "strides with the tree of " + shape + " (got " + stride + ")");
    }
    return Layout.of(shape, stride);
  }

  private CoordinateLayout coordinateLayout(Node node) {
    if (!(node instanceof Node.Strided strided)) {
      throw expected(node.position(), "a shape and strides, as in (4,8):(1@0,1@1)");
    }
    var strides = new ArrayList<ArithmeticTuple>();
    var shape = shape(strided, leaf -> strides.add(arithmeticTuple(leaf)));
    return new CoordinateLayout(shape, strides);
  }

  private ArithmeticTuple arithmeticTuple(Node node) {
    return switch (node) {
      case Node.Number number -> ArithmeticTuple.of(number.value());
      case Node.Basis basis ->
          new ArithmeticTuple(List.of(new ArithmeticTuple.Term(basis.scale(), basis.path().reversed())));
      case Node.Sum sum -> {
        try {
          yield each(sum.terms(), this::arithmeticTuple).stream().reduce(ArithmeticTuple.ZERO, ArithmeticTuple::plus);
        } catch (ArithmeticException _) {
          throw expected(node.position(), "a sum of at most 64 bits");
        }
      }
      default -> throw expected(node.position(), "an integer or a multiple of a basis element, as 2@0@1");
    };
  }

  private XorLayout xorLayout(Node node) {
    if (!(node instanceof Node.Strided strided)) {
      throw expected(node.position(), "a shape and strides, as in (8,8):(^1,^9)");
    }
    var strides = new ArrayList<Long>();
    var shape = shape(strided, leaf -> strides.add(xorStride(leaf)));
    return new XorLayout(shape, CoordinateLayout.congruent(shape, strides.iterator()));
  }

  private long xorStride(Node node) {
    if (!(node instanceof Node.Xor xor)) throw expected(node.position(), "an XOR stride, as ^9, at every mode");
    if (xor.stride() < 0) throw expected(node.position(), "an XOR stride of at least 0");
    return xor.stride();
  }

  /** The shape, congruent to the strides; {@code leaf} takes these, left to right. */
  private IntTuple shape(Node.Strided node, Consumer<Node> leaf) {
    var shape = shape(node.shape());
    if (!shape.isCongruentTo(tree(node.stride(), leaf))) {
      throw expected(node.colon(), "strides with the tree of " + shape);
    }
    return shape;
  }

  private static IntTuple tree(Node node, Consumer<Node> leaf) {
    if (node instanceof Node.Tuple tuple) return IntTuple.of(each(tuple.elements(), e -> tree(e, leaf)));
    leaf.accept(node);
    return IntTuple.of(0);
  }

  private IntTuple shape(Node node) {
    var shape = tuple(node);
    if (shape.leaves().anyMatch(extent -> extent < 0)) throw expected(node.position(), "extents of at least 0");
    return shape;
  }

  private Tiler tiler(Node node) {
    return switch (node) {
      case Node.Free _ -> new Tiler.Keep();
      case Node.ByMode byMode -> new Tiler.ByMode(each(byMode.modes(), this::tiler));
      default -> new Tiler.ByLayout(layout(node));
    };
  }

  private Swizzle swizzle(Node node) {
    if (!(node instanceof Node.Swizzled sw)) throw expected(node.position(), "a swizzle, as in Sw<3,4,3>");
    try {
      return new Swizzle(Math.toIntExact(sw.bits()), Math.toIntExact(sw.base()), Math.toIntExact(sw.shift()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw expected(node.position(), "a legal swizzle: " + e.getMessage());
    }
  }

  private ComposedLayout composed(Node.Composed node) {
    return new ComposedLayout(swizzle(node.outer()), node.offset().value(), layout(node.inner()));
  }

  private static <T> List<T> each(List<Node> nodes, Function<Node, T> rule) {
    var values = new ArrayList<T>();
    for (var node : nodes) values.add(rule.apply(node));
    return values;
  }

  private LayoutSyntaxException expected(int position, String what) {
    return new LayoutSyntaxException(text, position, what);
  }
}
