package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.decision.SearchLimitException;
import tilewright.layout.decision.UndefinedOperationException;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.syntax.Node;
import tilewright.layout.tuple.IntTuple;

/** Evaluates a tree from its leaves to its root. */
final class Evaluator {
  private static final Operation COMPOSITION = Operations.named("composition").orElseThrow();
  private static final int LONGEST_NAME = 40;
  private static final String KINDS = "operands have the kinds that the operation takes";

  private final String text;
  private final Dialect dialect;
  private final Optional<List<Explanation.Step>> steps;
  private final StridedLiterals strided;

  /** @param steps takes one step for each operation; nobody derives anything where it is absent */
  Evaluator(String text, Dialect dialect, Optional<List<Explanation.Step>> steps) {
    this.text = text;
    this.dialect = dialect;
    this.steps = steps;
    this.strided = new StridedLiterals(text, this::value);
  }

  Value value(Node node) {
    return switch (node) {
      case Node.Number number -> new Value.Integers(IntTuple.of(number.value()));
      case Node.Free _ -> new Value.Free();
      case Node.Tuple tuple -> Literals.tuple(each(tuple.elements()));
      case Node.ByMode byMode -> new Value.Tiling(Literals.byMode(each(byMode.modes())).orElseThrow(
          () -> new LayoutSyntaxException(text, node.position(), "layouts, " + Literals.EXTENTS + " and _ in a tiler")));
      case Node.Swizzled swizzled -> new Value.Swizzling(swizzle(swizzled));
      case Node.Basis _, Node.Sum _ -> new Value.Arithmetic(strided.sum(node));
      case Node.Xor _ -> throw new LayoutSyntaxException(text, node.position(), "an XOR stride behind a shape and ':'");
      case Node.Strided literal -> strided.layout(literal);
      case Node.Morphism morphism -> morphism(morphism);
      case Node.Composed composed -> new Value.Mapping(composed(composed));
      case Node.Composition composition ->
          call(COMPOSITION, List.of(composition.outer(), composition.inner()), composition.position());
      case Node.Call call -> call(operation(call), call.operands(), call.position());
      case Node.Application application -> application(application);
    };
  }

  private List<Value> each(List<Node> nodes) {
    var values = new ArrayList<Value>();
    for (var node : nodes) values.add(value(node));
    return values;
  }

  private Swizzle swizzle(Node.Swizzled swizzled) {
    try {
      return new Swizzle(Math.toIntExact(swizzled.bits()), Math.toIntExact(swizzled.base()),
          Math.toIntExact(swizzled.shift()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new LayoutSyntaxException(text, swizzled.position(), "a legal swizzle: " + e.getMessage());
    }
  }

  private ComposedLayout composed(Node.Composed node) {
    if (!(value(node.outer()) instanceof Value.Swizzling(Swizzle swizzle))) {
      throw new LayoutSyntaxException(text, node.position(), "a swizzle before 'o offset o'");
    }
    var layout = switch (value(node.inner())) {
      case Value.Mapping(Layout inner) -> inner;
      case Value.Integers shape when Literals.isShape(shape.tuple()) -> Layout.columnMajor(shape.tuple());
      case Value.Integers _ -> throw new LayoutSyntaxException(text, node.inner().position(), Literals.EXTENTS);
      default -> throw new LayoutSyntaxException(text, node.inner().position(), "a layout");
    };
    return new ComposedLayout(swizzle, node.offset().value(), layout);
  }

  private Value morphism(Node.Morphism node) {
    var domain = integers(node.domain());
    var codomain = integers(node.codomain());
    var positions = Literals.positions(integers(node.positions()))
        .orElseThrow(() -> new LayoutSyntaxException(text, node.positions().position(), "positions from 0 on"));
    return guarded(node.position(), "morphism",
        () -> Results.of(new TupleMorphism(domain, codomain, positions)));
  }

  private IntTuple integers(Node node) {
    if (value(node) instanceof Value.Integers(IntTuple tuple)) return tuple;
    throw new LayoutSyntaxException(text, node.position(), "integers in a morphism");
  }

  private static Operation operation(Node.Call call) {
    var name = call.name();
    return Operations.named(name).orElseThrow(() -> new ExpressionException(call.position(),
        "operations have names of CuTe's", "no operation is called " + (name.length() > LONGEST_NAME
            ? name.substring(0, LONGEST_NAME) + "…"
            : name + Operations.closest(name).map(closest -> "; did you mean " + closest + "?").orElse(""))));
  }

  private Value call(Operation operation, List<Node> nodes, int position) {
    if (!operation.takes(nodes.size())) {
      throw new ExpressionException(position, "operations have as many operands as they take",
          operation.signature() + " got " + nodes.size() + (nodes.size() == 1 ? " operand" : " operands"));
    }
    var operands = new Operands(operation, each(nodes), nodes.stream().map(Node::position).toList(), dialect);
    try {
      var result = guarded(position, operation.name(), () -> operation.apply(operands));
      steps.ifPresent(s -> s.add(Derivations.of(operands, result)));
      return result;
    } catch (ExpressionException e) {
      e.reason().ifPresent(reason -> steps.ifPresent(s -> s.add(Derivations.undefined(operands, reason))));
      throw e;
    }
  }

  private Value application(Node.Application node) {
    var map = value(node.map());
    if (map instanceof Value.Integers(IntTuple shape) && !Literals.isShape(shape)) {
      throw new ExpressionException(node.map().position(), KINDS,
          "shapes have " + Literals.EXTENTS + ", got " + Literals.abbreviated(map));
    }
    var at = value(node.coordinate());
    if (!(at instanceof Value.Integers(IntTuple coordinate))) return slice(node, map, at);
    if (coordinate.leaves().anyMatch(i -> i < 0)) {
      throw new ExpressionException(node.coordinate().position(), "coordinates count from 0",
          "coordinates count from 0, got " + coordinate);
    }
    return guarded(node.position(), "evaluation", () -> switch (map) {
      case Value.Mapping mapping -> Results.of(mapping.map().apply(coordinate));
      case Value.CoordinateMapping mapping -> new Value.Arithmetic(mapping.map().apply(coordinate));
      case Value.XorMapping mapping -> Results.of(mapping.map().apply(coordinate));
      case Value.Integers(IntTuple shape) -> Results.of(Layout.columnMajor(shape).apply(coordinate));
      case Value.Swizzling(Swizzle swizzle) when coordinate instanceof IntTuple.Leaf leaf ->
          Results.of(swizzle.apply(leaf.value()));
      default -> throw new ExpressionException(node.position(), KINDS,
          "layouts have values at coordinates, got " + Literals.abbreviated(map));
    });
  }

  /** A coordinate that leaves modes free gives a layout of these. */
  private static Value slice(Node.Application node, Value map, Value at) {
    var coordinate = Literals.slice(at).orElseThrow(() -> new ExpressionException(node.coordinate().position(), KINDS,
        "coordinates are integers and _, got " + Literals.abbreviated(at)));
    return guarded(node.position(), "slice", () -> switch (map) {
      case Value.Mapping(Layout layout) -> Results.of(layout.slice(coordinate));
      case Value.Mapping(ComposedLayout composed) -> Results.of(composed.slice(coordinate));
      case Value.Integers(IntTuple shape) -> Results.of(Layout.columnMajor(shape).slice(coordinate));
      default -> throw new ExpressionException(node.position(), KINDS,
          "layouts have slices, got " + Literals.abbreviated(map));
    });
  }

  /** Runs an operation; says where it stands if it fails. */
  private static Value guarded(int position, String name, Supplier<Value> operation) {
    try {
      return operation.get();
    } catch (ExpressionException e) {
      throw e;
    } catch (UndefinedOperationException e) {
      throw new ExpressionException(position, e);
    } catch (SearchLimitException e) {
      throw new ExpressionException(position, "searches end in time", name + ": " + e.getMessage());
    } catch (ArithmeticException e) {
      throw new ExpressionException(position, "sizes and offsets fit 64 bits",
          "a size or an offset in " + name + " does not fit 64 bits");
    } catch (IllegalArgumentException e) {
      throw new ExpressionException(position, "operands fit the operation", name + ": " + e.getMessage());
    }
  }
}
