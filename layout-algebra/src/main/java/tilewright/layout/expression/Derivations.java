package tilewright.layout.expression;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.layout.Dialect;
import tilewright.layout.Inverse;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;

/**
 * Derivations as a person would write them. Each line states a fact that the algebra's own decisions, results and
 * certificates provide.
 */
final class Derivations {
  private static final Set<String> REGROUPING = Set.of("zipped_divide", "tiled_divide", "flat_divide", "zipped_product",
      "tiled_product", "flat_product");

  private Derivations() {}

  /** The derivation of an operation's result; the operation's description where there is nothing to derive. */
  static Explanation.Step of(Operands o, Value result) {
    var facts = derived(o);
    if (REGROUPING.contains(o.operation().name())) facts.add("regroup: " + o.operation().description());
    return facts.step(o.toString(), result.toString());
  }

  /** The derivation up to the one that fails, and why it fails. */
  static Explanation.Step undefined(Operands o, Decision.Undefined<?> reason) {
    var facts = derived(o);
    facts.add("needed: " + reason.condition());
    reason.mode().ifPresent(mode -> facts.add("at mode " + mode));
    facts.add("found: " + reason.numbers());
    reason.witness().ifPresent(witness -> facts.add("witness: " + witness));
    return facts.step(o.toString(), "is undefined");
  }

  private static Facts derived(Operands o) {
    var facts = new Facts();
    var name = o.values().stream().allMatch(Derivations::isPlain) ? o.operation().name() : "";
    switch (name) {
      case "coalesce", "filter" -> coalesced(o, facts);
      case "composition" -> CompositionDerivation.byMode(o.layout(0), o.tiler(1), o.dialect(), facts);
      case "complement" -> ComplementDerivation.derive(o.layout(0), AlgebraOperations.complement(o), facts);
      case "logical_divide" ->
          TilingDerivations.division("as it is", o.dialect()).derive(o.layout(0), o.tiler(1), facts);
      case "logical_product" -> TilingDerivations.product("as it is").derive(o.layout(0), o.tiler(1), facts);
      case "zipped_divide", "tiled_divide", "flat_divide" ->
          TilingDerivations.division(free(o), o.dialect()).derive(o.layout(0), o.tiler(1), facts);
      case "zipped_product", "tiled_product", "flat_product" ->
          TilingDerivations.product(free(o)).derive(o.layout(0), o.tiler(1), facts);
      case "blocked_product" -> TilingDerivations.zipped(o.layout(0), o.layout(1), false, facts);
      case "raked_product" -> TilingDerivations.zipped(o.layout(0), o.layout(1), true, facts);
      case "tile_to_shape" -> TilingDerivations.tileToShape(o.layout(0), o.tuple(1),
          o.or(2, i -> Optional.of(o.tuple(i)), Optional.empty()), facts);
      case "max_common_layout", "max_common_vector" ->
          InverseDerivations.maxCommon(o.layout(0), o.layout(1), facts);
      case "quasi_inverse" -> InverseDerivations.quasi(o.layout(0), facts);
      case "right_inverse" -> InverseDerivations.right(o.layout(0), o.dialect(), facts);
      case "left_inverse" -> facts.result("L", Inverse.left(o.layout(0)));
      default -> facts.add(o.operation().description());
    }
    return facts;
  }

  /** Derivations are about layouts with integer strides. */
  private static boolean isPlain(Value value) {
    return switch (value) {
      case Value.Integers _, Value.Tiling _, Value.Sequence _, Value.Free _ -> true;
      case Value.Mapping mapping -> mapping.map() instanceof Layout;
      default -> false;
    };
  }

  private static void coalesced(Operands o, Facts facts) {
    long[] extents = o.layout(0).flatShape();
    long[] strides = o.layout(0).flatStride();
    facts.add(o.operation().description());
    facts.add("leaves, left to right: " + IntStream.range(0, extents.length)
        .mapToObj(i -> extents[i] + ":" + strides[i]).collect(Collectors.joining(" ")));
  }

  /** The tile that {@code _} leaves of a mode where modes are regrouped. */
  private static String free(Operands o) {
    return o.dialect().freeMode() == Dialect.FreeMode.REFUSED ? "alone, which this dialect refuses"
        : "as the rest beside a tile 1:0";
  }
}
