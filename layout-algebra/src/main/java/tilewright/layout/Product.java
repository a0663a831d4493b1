package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Products: a block, and copies of it where another layout says. */
public final class Product {
  private Product() {}

  /** Products by tilers, in a dialect. */
  public static Regrouping of(Dialect dialect) {
    return new Regrouping(" ⊗ ", dialect, Product::logical);
  }

  /** (block, copies): mode 0 is the block, mode 1 lays {@code tiles} out over its complement. */
  public static Decision<Layout> logical(Layout block, Layout tiles) {
    var operation = block + " ⊗ " + tiles;
    if (block.size() == 0) {
      return Decision.Undefined.of(operation, "the block is not empty", "its shape is " + block.shape());
    }
    long bound = Math.multiplyExact(block.size(), Math.max(1, tiles.cosize()));
    return switch (Complement.of(block, bound)) {
      case Decision.Undefined<Layout> undefined -> undefined.as(operation);
      case Decision.Defined<Layout>(var complement, var tiling) -> switch (Composition.of(complement, tiles)) {
        case Decision.Undefined<Layout> undefined -> undefined.as(operation);
        case Decision.Defined<Layout>(var copies, var composition) ->
            new Decision.Defined<>(Layout.of(block, copies), new ByModeCertificate(List.of(tiling, composition)));
      };
    };
  }

  /** The block repeated as {@code tiles} says, by mode: mode i is (block mode i, tile mode i). */
  public static Decision<Layout> blocked(Layout block, Layout tiles) {
    return interleaved(block, tiles, false);
  }

  /** Like {@link #blocked}, with the tile's mode first, so that the block's elements lie apart. */
  public static Decision<Layout> raked(Layout block, Layout tiles) {
    return interleaved(block, tiles, true);
  }

  private static Decision<Layout> interleaved(Layout block, Layout tiles, boolean tileFirst) {
    int rank = Math.max(block.rank(), tiles.rank());
    return logical(padded(block, rank), padded(tiles, rank)).map(product -> {
      var modes = new ArrayList<Layout>();
      for (int i = 0; i < rank; i++) {
        var inBlock = product.mode(0).mode(i);
        var inTiles = product.mode(1).mode(i);
        modes.add(tileFirst ? Layout.of(inTiles, inBlock) : Layout.of(inBlock, inTiles));
      }
      return Layout.of(modes);
    });
  }

  private static Layout padded(Layout layout, int rank) {
    boolean isMode = layout.shape() instanceof IntTuple.Leaf;
    var modes = new ArrayList<>(isMode ? List.of(layout) : layout.modes());
    while (modes.size() < rank) modes.add(Layout.of(1, 0));
    return Layout.of(modes);
  }

  /** The block repeated, column-major, until it fills {@code target}. */
  public static Decision<Layout> tileToShape(Layout block, IntTuple target) {
    return tileToShape(block, target, Layout::columnMajor);
  }

  /**
   * The block repeated until it fills {@code target}.
   *
   * @param order order of the copies: the mode with the least entry counts fastest
   */
  public static Decision<Layout> tileToShape(Layout block, IntTuple target, IntTuple order) {
    return tileToShape(block, target, repeats -> Layout.ordered(IntTuple.flat(repeats), order));
  }

  private static Decision<Layout> tileToShape(Layout block, IntTuple target,
      Function<long[], Layout> copies) {
    int rank = Math.max(block.rank(), target.rank());
    var repeats = new long[rank];
    for (int i = 0; i < rank; i++) {
      long have = i < block.rank() ? block.mode(i).size() : 1;
      long want = i < target.rank() ? target.mode(i).size() : 1;
      if (have == 0 || want % have != 0) {
        return new Decision.Undefined<>("tile_to_shape(" + block + ", " + target + ")",
            "each mode of the block divides the target's", OptionalInt.of(i), have + " does not divide " + want,
            Optional.empty());
      }
      repeats[i] = want / have;
    }
    return blocked(block, copies.apply(repeats));
  }
}
