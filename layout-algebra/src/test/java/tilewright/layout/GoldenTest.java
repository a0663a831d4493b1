package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tools.jackson.databind.JsonNode;

/**
 * Every operation against what pycute computes wherever that satisfies the definition, and against the definition
 * elsewhere.
 */
class GoldenTest {
  private static final List<String> OK = List.of("ok");

  @Test
  void coalesceGivesTheNormalForm() {
    Golden.each("coalesce", OK, (args, r) -> assertEquals(text(r, "expect"), layout(args, "a").coalesce().toString()));
  }

  @Test
  void coalesceByProfileKeepsTheProfile() {
    Golden.each("coalesce_profile", OK, (args, r) ->
        assertEquals(text(r, "expect"), layout(args, "a").coalesce(IntTuple.parse(text(args, "profile"))).toString()));
  }

  @Test
  void filterKeepsEachOffsetOnce() {
    Golden.each("filter", OK, (args, r) -> assertEquals(text(r, "expect"), layout(args, "a").filter().toString()));
  }

  @Test
  void compositionIsDefinedExactlyWhereALayoutExists() {
    Golden.each("composition", List.of("ok", "raises", "wrong"), (args, r) -> {
      var decision = Composition.of(layout(args, "a"), layout(args, "b"));
      if (r.get("realizable").asBoolean()) {
        var result = (Layout) assertInstanceOf(Decision.Defined.class, decision).result();
        assertArrayEquals(Golden.table(r), result.offsets());
        assertEquals(true, layout(args, "b").shape().isCompatibleWith(result.shape()));
      } else {
        var undefined = assertInstanceOf(Decision.Undefined.class, decision);
        assertEquals(true, undefined.witness().isPresent(), undefined.message());
      }
    });
  }

  @Test
  void compositionByModeComposesEachMode() {
    Golden.each("composition_tiler", OK, (args, r) -> {
      var a = layout(args, "a");
      var result = a.composition(Tiler.parse(text(args, "tiler")));
      // pycute keeps the modes of a that a short tiler does not reach; CuTe C++, and we, drop them.
      if (result.size() == Golden.table(r).length) assertArrayEquals(Golden.table(r), result.offsets());
    });
  }

  @Test
  void complementTilesTheBound() {
    Golden.each("complement", OK, (args, r) -> {
      if (!args.has("cotarget") || !r.get("chain_divisible").asBoolean()) return;
      long bound = IntTuple.parse(text(args, "cotarget")).size();
      assertEquals(Layout.parse(text(r, "expect")).coalesce(), layout(args, "a").complement(bound).coalesce());
    });
  }

  @Test
  void complementIsUndefinedOffTheDivisibleChain() {
    Golden.each("complement", List.of("nontiling", "raises"), (args, r) ->
        assertInstanceOf(Decision.Undefined.class, Complement.of(layout(args, "a"), args.has("cotarget")
            ? IntTuple.parse(text(args, "cotarget")).size() : 1)));
  }

  @Test
  void logicalDivideSplitsIntoTileAndRest() {
    Golden.each("logical_divide", OK, (args, r) -> {
      var result = layout(args, "a").logicalDivide(layout(args, "tiler"));
      assertArrayEquals(Golden.table(r), result.offsets());
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"zipped_divide", "tiled_divide", "flat_divide"})
  void dividesByModeRegroup(String operation) {
    Golden.each(operation, OK, (args, r) -> {
      var a = layout(args, "a");
      var tiler = Tiler.parse(text(args, "tiler"));
      var result = switch (operation) {
        case "zipped_divide" -> a.zippedDivide(tiler);
        case "tiled_divide" -> a.tiledDivide(tiler);
        default -> a.flatDivide(tiler);
      };
      assertArrayEquals(Layout.parse(text(r, "expect")).offsets(), result.offsets());
    });
  }

  @Test
  void logicalProductLaysCopiesOut() {
    Golden.each("logical_product", OK, (args, r) ->
        assertArrayEquals(Golden.table(r), layout(args, "a").logicalProduct(layout(args, "tiler")).offsets()));
  }

  @Test
  void rightInverseReachesAsFarAsTheOffsetsAreContiguous() {
    Golden.each("right_inverse", OK, (args, r) -> {
      var a = layout(args, "a");
      var inverse = a.rightInverse();
      for (long i = 0; i < inverse.size(); i++) assertEquals(i, a.apply(inverse.apply(i)));
      assertEquals(true, inverse.size() >= Layout.parse(text(r, "expect")).size());
    });
  }

  @Test
  void leftInverseUndoesTheLayout() {
    Golden.each("left_inverse", OK, (args, r) -> {
      if (!r.get("injective").asBoolean()) return;
      var a = layout(args, "a");
      if (Inverse.left(a) instanceof Decision.Defined(var inverse, var certificate)) {
        assertEquals(true, certificate.holds());
        for (long i = 0; i < a.size(); i++) assertEquals(i, inverse.apply(a.apply(i)));
      }
    });
  }

  @Test
  void evaluationFollowsTheCoordinate() {
    Golden.each("layout_eval", OK, (args, r) ->
        assertEquals(Long.parseLong(text(r, "expect")), layout(args, "layout")
            .apply(IntTuple.parse(text(args, "crd")))));
  }

  @Test
  void indexToCoordinateCountsColexicographically() {
    Golden.each("idx2crd", OK, (args, r) -> {
      if (!args.has("stride") && IntTuple.parse(text(args, "idx")) instanceof IntTuple.Leaf(long index)) {
        assertEquals(text(r, "expect"), Coordinates.of(index, IntTuple.parse(text(args, "shape"))).toString());
      }
    });
  }

  @Test
  void aShapeAloneIsColumnMajor() {
    Golden.each("layout_ctor", OK, (args, r) -> {
      if (args.has("stride")) return;
      assertArrayEquals(Layout.parse(text(r, "expect")).offsets(), Layout.parse(text(args, "shape")).offsets());
    });
  }

  @Test
  void sizeAndCosizeCountElementsAndReach() {
    Golden.each("size_cosize_rank", OK, (args, r) -> {
      var a = layout(args, "layout");
      assertEquals(r.get("size").asLong(), a.size());
      assertEquals(r.get("true_cosize").asLong(), a.cosize());
    });
  }

  @Test
  void composedLayoutsSwizzleTheOffset() {
    Golden.each("composed", OK, (args, r) -> {
      var swizzle = Swizzle.parse("Sw<" + text(args, "swizzle") + ">");
      var composed = new ComposedLayout(swizzle, args.get("offset").asLong(), layout(args, "layout"));
      if (!r.has("table")) return;
      long[] table = Golden.table(r);
      for (int i = 0; i < table.length; i++) assertEquals(table[i], composed.apply(i));
      assertEquals(composed, OffsetMap.parse(composed.toString()));
    });
  }

  private static Layout layout(JsonNode args, String name) {
    return Layout.parse(text(args, name));
  }

  private static String text(JsonNode node, String name) {
    return node.get(name).asString();
  }
}
