package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.Decision;
import tilewright.layout.Dialect;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;

/**
 * Derivations as a person would write them. Each line states a fact that the algebra's own decisions, results and
 * certificates provide.
 */
final class Derivations {
  private static final int SHOWN = 8;
  private static final String INDENT = "  ";

  private final List<String> lines = new ArrayList<>();

  private final Dialect dialect;

  private Derivations(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The lines for an operation; its description where there is nothing to derive. */
  static List<String> of(Operands o) {
    var derivation = new Derivations(o.dialect());
    derivation.derive(o);
    return derivation.lines;
  }

  private void derive(Operands o) {
    var name = o.values().stream().allMatch(Derivations::isPlain) ? o.operation().name() : "";
    switch (name) {
      case "coalesce", "filter" -> coalesced(o.layout(0), o.operation().description());
      case "composition" -> composition(o.layout(0), o.tiler(1), "");
      case "complement" -> complement(o.layout(0), o.count() > 1 ? o.tuple(1).size() : 1);
      case "logical_divide" -> divide(o.layout(0), o.tiler(1), "");
      case "zipped_divide", "tiled_divide", "flat_divide" -> {
        divide(o.layout(0), o.tiler(1), "");
        lines.add("regroup: " + o.operation().description());
      }
      case "logical_product" -> product(o.layout(0), o.tiler(1), "");
      case "zipped_product", "tiled_product", "flat_product" -> {
        product(o.layout(0), o.tiler(1), "");
        lines.add("regroup: " + o.operation().description());
      }
      case "blocked_product", "raked_product" ->
          zipped(o.layout(0), o.layout(1), o.operation().name().startsWith("raked"));
      case "tile_to_shape" ->
          tileToShape(o.layout(0), o.tuple(1), o.count() > 2 ? Optional.of(o.tuple(2)) : Optional.empty());
      case "max_common_layout", "max_common_vector" -> maxCommon(o.layout(0), o.layout(1));
      case "quasi_inverse" -> quasiInverse(o.layout(0));
      case "right_inverse" -> rightInverse(o.layout(0), (Layout) ((Value.Mapping) InverseOperations.right(o)).map());
      case "left_inverse" -> decision("L", o.layout(0).tryLeftInverse(), "");
      default -> lines.add(o.operation().description());
    }
  }

  /** Derivations are about layouts with integer strides. */
  private static boolean isPlain(Value value) {
    return switch (value) {
      case Value.Integers _, Value.Tiling _, Value.Sequence _, Value.Free _ -> true;
      case Value.Mapping mapping -> mapping.map() instanceof Layout;
      default -> false;
    };
  }

  private void coalesced(Layout layout, String description) {
    lines.add(description);
    lines.add("leaves, left to right: " + leaves(layout));
  }

  private void composition(Layout a, Tiler b, String where) {
    switch (b) {
      case Tiler.ByLayout by -> composition(a, by.layout(), where);
      case Tiler.Keep _ -> lines.add(where + "_ leaves " + a + " as it is");
      case Tiler.ByMode by -> {
        for (int i = 0; i < Math.min(a.rank(), by.tilers().size()); i++) {
          lines.add(where + "mode " + i + ":");
          composition(a.mode(i), by.tilers().get(i), where + INDENT);
        }
        if (by.tilers().size() < a.rank()) {
          lines.add(where + "modes behind the tiler's are "
              + (dialect.shortTiler() == Dialect.ShortTiler.DROP ? "dropped, as in CuTe C++" : "kept, as in pycute"));
        }
      }
    }
  }

  private void composition(Layout a, Layout b, String where) {
    lines.add(where + "A = " + a + (a.coalesce().equals(a) ? "" : ", coalesced " + a.coalesce()) + "; B = " + b);
    long[] extents = b.flatShape();
    long[] strides = b.flatStride();
    for (int i = 0; i < extents.length; i++) leaf(a, Layout.of(extents[i], strides[i]), where);
    decision("R", a.tryComposition(b), where);
  }

  /** What A makes of the multiples of one stride. */
  private void leaf(Layout a, Layout leaf, String where) {
    switch (a.tryComposition(leaf)) {
      case Decision.Defined<Layout>(var cut, var _) -> lines.add(where + "leaf " + leaf + ": " + values(a, leaf, cut)
          + (cut.rank() > 1 ? ", cut after " + cut.flatShape()[0] + " where the multiples of " + leaf.flatStride()[0]
              + " carry" : ""));
      case Decision.Undefined<Layout> undefined -> lines.add(where + "leaf " + leaf + ": " + undefined.numbers());
    }
  }

  private static String values(Layout a, Layout leaf, Layout cut) {
    var at = new ArrayList<String>();
    var values = new ArrayList<String>();
    for (long i = 0; i < Math.min(SHOWN, leaf.size()); i++) {
      at.add(Long.toString(leaf.apply(i)));
      values.add(Long.toString(cut.apply(i)));
    }
    var more = leaf.size() > SHOWN ? ",…" : "";
    return "A at " + String.join(",", at) + more + " is " + String.join(",", values) + more + ", that is " + cut;
  }

  private void complement(Layout layout, long bound) {
    switch (layout.tryComplement(bound, dialect)) {
      case Decision.Defined<Layout>(var complement, var certificate) -> {
        if (!layout.filter().equals(layout)) lines.add("without strides 0, coalesced: " + layout.filter());
        long end = 1;
        for (var step : Chain.of(layout.filter(), complement)) {
          lines.add((step.own() ? "mode " : "gap  ") + step.extent() + ":" + step.stride() + " begins at " + end
              + ", reaches " + step.reach());
          end = step.reach();
        }
        lines.add("the gaps are " + complement);
        lines.add(certificate.explain());
      }
      case Decision.Undefined<Layout> undefined -> undefined(undefined, "");
    }
  }

  private void divide(Layout a, Tiler tiler, String where) {
    switch (tiler) {
      case Tiler.Keep _ -> lines.add(where + "_ leaves " + a + " as it is");
      case Tiler.ByMode by -> {
        for (int i = 0; i < Math.min(a.rank(), by.tilers().size()); i++) {
          lines.add(where + "mode " + i + ":");
          divide(a.mode(i), by.tilers().get(i), where + INDENT);
        }
      }
      case Tiler.ByLayout(var tile) -> {
        lines.add(where + "A = " + a + " of size " + a.size() + "; tile T = " + tile);
        switch (tile.tryComplement(a.coalesce().size())) {
          case Decision.Defined<Layout>(var rest, var _) -> {
            lines.add(where + "the tile's repetitions: T* = complement(T, " + a.size() + ") = " + rest);
            lines.add(where + "A ∘ (T, T*), that is");
            composition(a, Layout.of(tile, rest), where + INDENT);
          }
          case Decision.Undefined<Layout> undefined -> undefined(undefined, where);
        }
      }
    }
  }

  private void product(Layout block, Tiler tiler, String where) {
    switch (tiler) {
      case Tiler.Keep _ -> lines.add(where + "_ leaves " + block + " as it is");
      case Tiler.ByMode by -> {
        for (int i = 0; i < Math.min(block.rank(), by.tilers().size()); i++) {
          lines.add(where + "mode " + i + ":");
          product(block.mode(i), by.tilers().get(i), where + INDENT);
        }
      }
      case Tiler.ByLayout(var tiles) -> product(block, tiles, where);
    }
  }

  private void product(Layout block, Layout tiles, String where) {
    long bound = Math.multiplyExact(block.size(), Math.max(1, tiles.cosize()));
    lines.add(where + "A = " + block + " of size " + block.size() + "; B = " + tiles + " of cosize " + tiles.cosize());
    switch (block.tryComplement(bound)) {
      case Decision.Defined<Layout>(var room, var _) -> {
        lines.add(where + "room for copies: A* = complement(A, " + block.size() + "·" + tiles.cosize() + ") = " + room);
        lines.add(where + "beside A, its copies: A* ∘ B, that is");
        composition(room, tiles, where + INDENT);
      }
      case Decision.Undefined<Layout> undefined -> undefined(undefined, where);
    }
  }

  /** The product of both at the same rank, and how its modes pair up. */
  private void zipped(Layout block, Layout tiles, boolean raked) {
    int rank = Math.max(block.rank(), tiles.rank());
    var both = List.of(padded(block, rank), padded(tiles, rank));
    if (block.rank() != tiles.rank()) {
      lines.add("with modes 1:0 up to rank " + rank + ": A = " + both.get(0) + ", B = " + both.get(1));
    }
    lines.add("logical_product(A, B), that is");
    product(both.get(0), both.get(1), INDENT);
    var decision = raked ? block.tryRakedProduct(tiles) : block.tryBlockedProduct(tiles);
    if (decision instanceof Decision.Defined<Layout>(var result, var _)) {
      for (int i = 0; i < rank; i++) {
        lines.add("mode " + i + ": (" + (raked ? "copies, mode of A" : "mode of A, copies") + ") = " + result.mode(i));
      }
    }
  }

  private void tileToShape(Layout block, IntTuple target, Optional<IntTuple> order) {
    var decision = order.map(o -> block.tryTileToShape(target, o)).orElseGet(() -> block.tryTileToShape(target));
    if (decision instanceof Decision.Undefined<Layout> undefined) {
      undefined(undefined, "");
      return;
    }
    var copies = new long[Math.max(block.rank(), target.rank())];
    for (int i = 0; i < copies.length; i++) {
      long have = i < block.rank() ? block.mode(i).size() : 1;
      long want = i < target.rank() ? target.mode(i).size() : 1;
      copies[i] = want / have;
      lines.add("mode " + i + ": " + want + " / " + have + " = " + copies[i] + " copies");
    }
    var tiles = order.map(o -> Layout.ordered(IntTuple.flat(copies), o)).orElseGet(() -> Layout.columnMajor(copies));
    lines.add("blocked_product(A, B) with A = " + block + ", B = " + tiles + ", that is");
    zipped(block, tiles, false);
  }

  private static Layout padded(Layout layout, int rank) {
    while (layout.rank() < rank) layout = layout.append(Layout.of(1, 0));
    return layout;
  }

  private void rightInverse(Layout layout, Layout inverse) {
    long[] extents = inverse.flatShape();
    long[] strides = inverse.flatStride();
    long offset = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 1) continue;
      lines.add("offsets t·" + offset + " for t below " + extents[i] + " are at indices t·" + strides[i] + ": A("
          + strides[i] + ") = " + layout.apply(strides[i]));
      offset *= extents[i];
    }
    boolean prefix = dialect.rightInverse() == Dialect.RightInverse.PREFIX;
    lines.add("R ends at offset " + offset + (prefix ? ", where the next mode by stride does not go on" : "")
        + ": A(R(i)) is i for each i below " + inverse.size());
  }

  private void quasiInverse(Layout layout) {
    layout.collision().ifPresent(same -> lines.add("no left inverse: indices " + same.first() + " and "
        + same.second() + " have offset " + same.offset()));
    decision("Q", layout.tryQuasiInverse(), "");
  }

  /** The run, and what stops it. */
  private void maxCommon(Layout a, Layout b) {
    var fromA = a.rightInverse();
    var fromB = b.rightInverse();
    lines.add("right inverses: A‡ = " + fromA + ", B‡ = " + fromB);
    var common = a.maxCommonLayout(b);
    long end = common.size();
    lines.add("R = " + common + ": A(R(i)) = B(R(i)) = i for each i below " + end);
    if (end < Math.min(fromA.size(), fromB.size())) {
      lines.add("offset " + end + ": A has it at index " + fromA.apply(end) + ", B at index " + fromB.apply(end));
    } else {
      lines.add("no longer: " + (end == fromA.size() ? "A‡" : "B‡") + " ends there");
    }
  }

  private void decision(String result, Decision<Layout> decision, String where) {
    switch (decision) {
      case Decision.Defined<Layout>(var layout, var certificate) ->
          lines.add(where + result + " = " + layout + ", for " + certificate.explain());
      case Decision.Undefined<Layout> undefined -> undefined(undefined, where);
    }
  }

  private void undefined(Decision.Undefined<Layout> undefined, String where) {
    lines.add(where + "needed: " + undefined.condition());
    undefined.mode().ifPresent(mode -> lines.add(where + "at mode " + mode));
    lines.add(where + "found: " + undefined.numbers());
    undefined.witness().ifPresent(witness -> lines.add(where + "witness: " + witness));
  }

  private static String leaves(Layout layout) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    var leaves = new ArrayList<String>();
    for (int i = 0; i < extents.length; i++) leaves.add(extents[i] + ":" + strides[i]);
    return String.join(" ", leaves);
  }
}
