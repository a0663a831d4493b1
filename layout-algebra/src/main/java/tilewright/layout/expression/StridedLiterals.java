package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tilewright.layout.Layout;
import tilewright.layout.coordinate.ArithmeticTuple;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.syntax.Node;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/** Shapes with strides; the strides decide what kind of layout they make. Operations may stand for integers in them. */
record StridedLiterals(String text, Function<Node, Value> evaluator) {

  Value layout(Node.Strided node) {
    var shape = shape(node.shape());
    var leaves = new ArrayList<Node>();
    var stride = tree(node.stride(), leaves);
    if (leaves.stream().anyMatch(leaf -> leaf instanceof Node.Xor)) {
      return new Value.XorMapping(new XorLayout(congruent(shape, stride, node), xors(node.stride())));
    }
    if (leaves.stream().anyMatch(leaf -> leaf instanceof Node.Basis || leaf instanceof Node.Sum)) {
      return new Value.CoordinateMapping(
          new CoordinateLayout(congruent(shape, stride, node), leaves.stream().map(this::sum).toList()));
    }
    var strides = integers(node.stride(), "integers as strides");
    return new Value.Mapping(Layout.of(congruent(shape, strides, node), strides));
  }

  private IntTuple shape(Node node) {
    var shape = integers(node, "integers as a shape");
    if (Literals.isShape(shape)) return shape;
    throw expected(belowOne(node).orElse(node).position(), Literals.EXTENTS);
  }

  /** The first extent in the text that is none. */
  private static Optional<Node> belowOne(Node node) {
    return switch (node) {
      case Node.Number number when number.value() < 1 -> Optional.of(node);
      case Node.Tuple tuple -> tuple.elements().stream().flatMap(element -> belowOne(element).stream()).findFirst();
      default -> Optional.empty();
    };
  }

  private IntTuple congruent(IntTuple shape, IntTuple strides, Node.Strided node) {
    if (shape.isCongruentTo(strides)) return shape;
    throw expected(node.colon(), "strides with the tree of the shape");
  }

  /** The tree with 0 at each leaf, and the leaves. */
  private static IntTuple tree(Node node, List<Node> leaves) {
    if (node instanceof Node.Tuple tuple) {
      var elements = new ArrayList<IntTuple>();
      for (var element : tuple.elements()) elements.add(tree(element, leaves));
      return IntTuple.of(elements);
    }
    leaves.add(node);
    return IntTuple.of(0);
  }

  private IntTuple xors(Node node) {
    return switch (node) {
      case Node.Tuple tuple -> IntTuple.of(tuple.elements().stream().map(this::xors).toList());
      case Node.Xor xor when xor.stride() >= 0 -> IntTuple.of(xor.stride());
      default -> throw expected(node.position(), "an XOR stride of at least 0, as ^9, at every mode");
    };
  }

  ArithmeticTuple sum(Node node) {
    return switch (node) {
      case Node.Basis basis -> ArithmeticTuple.of(basis.scale(), basis.path().reversed().toArray(Integer[]::new));
      case Node.Sum sum -> {
        try {
          yield sum.terms().stream().map(this::sum).reduce(ArithmeticTuple.ZERO, ArithmeticTuple::plus);
        } catch (ArithmeticException _) {
          throw expected(node.position(), "a sum of at most 64 bits");
        }
      }
      default -> {
        if (integers(node, "multiples of basis elements as strides") instanceof IntTuple.Leaf leaf) {
          yield ArithmeticTuple.of(leaf.value());
        }
        throw expected(node.position(), "multiples of basis elements as strides");
      }
    };
  }

  private IntTuple integers(Node node, String needed) {
    if (evaluator.apply(node) instanceof Value.Integers integers) return integers.tuple();
    throw expected(node.position(), needed);
  }

  private LayoutSyntaxException expected(int position, String what) {
    return new LayoutSyntaxException(text, position, what);
  }
}
