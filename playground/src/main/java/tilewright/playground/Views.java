package tilewright.playground;

import java.util.Optional;
import java.util.Set;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.expression.Explanation;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;
import tilewright.layout.tuple.IntTuple;

/** Pictures of answers. Where there is none, the message of the {@link IllegalArgumentException} says why. */
final class Views {
  private Views() {}

  /** @param step the operation that gave the value, if one did */
  static Picture of(Question question, Value value, Optional<Explanation.Step> step) {
    return switch (question.view()) {
      case OFFSETS -> offsets(value);
      case OPERATION -> operation(Operands.of(step.orElseThrow(
          () -> new IllegalArgumentException("the expression calls no operation: choose Offsets"))));
      case THREADS -> threads(map(value), question.tile());
      case BANKS -> BankReport.of(map(value), question).picture();
    };
  }

  private static Picture offsets(Value value) {
    return switch (value) {
      case Value.XorMapping(var map) -> Pictures.offsets(map);
      case Value.CoordinateMapping(var map) -> Pictures.offsets(map);
      case Value.Swizzling(var swizzle) -> Pictures.swizzle(swizzle);
      case Value.Morphism(var morphism) -> Pictures.offsets(morphism.layout());
      default -> Pictures.offsets(map(value));
    };
  }

  /** A layout, or what stands for one. */
  static OffsetMap map(Value value) {
    return switch (value) {
      case Value.Mapping(var map) -> map;
      case Value.Integers(IntTuple.Tuple shape) when shape.leaves().allMatch(extent -> extent > 0) ->
          Layout.columnMajor(shape);
      case Value.Tiling(Tiler.ByLayout(var layout)) -> layout;
      default -> throw new IllegalArgumentException(value + " is no layout: there is nothing to draw");
    };
  }

  private static Picture operation(Operands call) {
    return switch (call.operation()) {
      case "composition" -> Pictures.composition(plain(call.texts().get(0)), plain(call.texts().get(1)));
      case "logical_divide", "zipped_divide", "tiled_divide", "flat_divide" ->
          Pictures.division(map(call.texts().get(0)), tiler(call.texts().get(1)));
      case "logical_product", "zipped_product", "tiled_product", "flat_product", "blocked_product" ->
          Pictures.product(plain(call.texts().get(0)), plain(call.texts().get(1)));
      default -> throw new IllegalArgumentException("there is no picture of " + call.operation()
          + ", only of compositions, divisions and products: choose Offsets");
    };
  }

  private static OffsetMap map(String text) {
    return map(Expression.parse(text).evaluate());
  }

  private static Layout plain(String text) {
    if (map(text) instanceof Layout layout) return layout;
    throw new IllegalArgumentException(text + " is swizzled; the picture is of layouts without a swizzle");
  }

  private static Tiler tiler(String text) {
    return switch (Expression.parse(text).evaluate()) {
      case Value.Tiling(var tiler) -> tiler;
      case Value.Mapping(Layout layout) -> Tiler.of(layout);
      default -> Tiler.parse(text);
    };
  }

  private static Picture threads(OffsetMap map, String tile) {
    return Pictures.threadValues(map, tile.isBlank() ? TileGuess.of(map) : IntTuple.parse(tile));
  }

  /** The operand whose coordinate shows why an operation is undefined, with that element marked. */
  static Optional<Picture> witness(Decision.Undefined<?> reason, Explanation.Step step) {
    if (reason.witness().isEmpty()) return Optional.empty();
    var witness = reason.witness().get();
    // The equation of a composition ranges over the inner layout, the last operand.
    return Operands.of(step).texts().reversed().stream().flatMap(text -> operand(text, witness).stream()).findFirst()
        .map(map -> Pictures.offsets(map, Set.of(witness.index())));
  }

  private static Optional<OffsetMap> operand(String text, Witness witness) {
    try {
      return Optional.of(map(text)).filter(map -> witness.index() < map.size()
          && Layout.columnMajor(map.shape()).coordinate(witness.index()).equals(witness.coordinate()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
