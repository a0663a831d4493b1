package tilewright.layout.expression;

import java.util.Optional;
import tilewright.layout.Complement;
import tilewright.layout.Composition;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;
import tilewright.layout.Product;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Divisions and products: a complement, and what is composed with it. */
final class TilingDerivations {
  private static final String KEPT = "kept";

  private TilingDerivations() {}

  /** @param free what {@code _} leaves a mode as */
  static TilerDerivation division(String free, Dialect dialect) {
    return new TilerDerivation(free, KEPT, (layout, tile, facts) -> divide(layout, tile, dialect, facts));
  }

  /** @param free what {@code _} leaves a mode as */
  static TilerDerivation product(String free) {
    return new TilerDerivation(free, KEPT, TilingDerivations::product);
  }

  private static void divide(Layout a, Layout tile, Dialect dialect, Facts facts) {
    facts.add("A = " + a + " of size " + a.size() + "; tile T = " + tile);
    if (Complement.of(tile, a.size()) instanceof Decision.Defined<Layout>(var rest, var _)) {
      facts.add("the tile's repetitions: T* = complement(T, " + a.size() + ") = " + rest);
      facts.add("A ∘ (T, T*), that is");
      var both = Layout.of(tile, rest);
      CompositionDerivation.derive(a, both, Composition.of(a, both, dialect), facts.inner());
    }
  }

  private static void product(Layout block, Layout tiles, Facts facts) {
    facts.add("A = " + block + " of size " + block.size() + "; B = " + tiles + " of cosize " + tiles.cosize());
    long bound = Math.multiplyExact(block.size(), tiles.cosize());
    if (Complement.of(block, bound) instanceof Decision.Defined<Layout>(var room, var _)) {
      facts.add("room for copies: A* = complement(A, " + block.size() + "·" + tiles.cosize() + ") = " + room);
      facts.add("beside A, its copies: A* ∘ B, that is");
      CompositionDerivation.derive(room, tiles, Composition.of(room, tiles), facts.inner());
    }
  }

  /** The product of both at the same rank, and how its modes pair up. */
  static void zipped(Layout block, Layout tiles, boolean raked, Facts facts) {
    int rank = Math.max(block.rank(), tiles.rank());
    var a = padded(block, rank);
    var b = padded(tiles, rank);
    if (block.rank() != tiles.rank()) facts.add("with modes 1:0 up to rank " + rank + ": A = " + a + ", B = " + b);
    facts.add("logical_product(A, B), that is");
    product(a, b, facts.inner());
    var decision = raked ? Product.raked(block, tiles) : Product.blocked(block, tiles);
    if (decision instanceof Decision.Defined<Layout>(var result, var _)) {
      var pair = raked ? "(copies, mode of A)" : "(mode of A, copies)";
      for (int i = 0; i < rank; i++) facts.add("mode " + i + ": " + pair + " = " + result.mode(i));
    }
  }

  static void tileToShape(Layout block, IntTuple target, Optional<IntTuple> order, Facts facts) {
    int rank = Math.max(block.rank(), target.rank());
    var a = padded(block, rank);
    var copies = new long[rank];
    for (int i = 0; i < rank; i++) {
      long have = a.mode(i).size();
      long want = i < target.rank() ? target.mode(i).size() : 1;
      if (want % have != 0) return;
      copies[i] = want / have;
      facts.add("mode " + i + ": " + want + " / " + have + " = " + copies[i] + " copies");
    }
    var tiles = order.map(o -> Layout.ordered(IntTuple.flat(copies), o)).orElseGet(() -> Layout.columnMajor(copies));
    facts.add("blocked_product(A, B) with A = " + block + ", B = " + tiles + ", that is");
    zipped(block, tiles, false, facts);
  }

  private static Layout padded(Layout layout, int rank) {
    while (layout.rank() < rank) layout = layout.append(Layout.of(1, 0));
    return layout;
  }
}
