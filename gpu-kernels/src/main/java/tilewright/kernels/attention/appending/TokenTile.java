package tilewright.kernels.attention.appending;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.numerics.ElementType;
import tilewright.reference.Rotation;

/**
 * The tokens of a CTA: neighbours of a batch entry.
 *
 * @param first token's position
 * @param tokens of a tile
 * @param heads of a tile
 */
record TokenTile(Scope k, I32 thread, I32 first, int tokens, int heads) {
  /** Angles in an access to the tables. */
  private static final int ANGLES = 4;

  /** A tile of heads of new keys, values or queries. */
  Heads of(GlobalTensor source, I32 headTile) {
    return new Heads(this, source, headTile);
  }

  /**
   * A tile of heads of these tokens.
   *
   * @param source (batch, tokens, heads, columns)
   */
  record Heads(TokenTile tile, GlobalTensor source, I32 headTile) {
    Scope k() {
      return tile.k;
    }

    /** The number of a head of the tile. */
    I32 head(I32 ofTile) {
      return headTile.times(tile.heads).plus(ofTile);
    }

    /**
     * Reads a part of the thread's row, and turns it by the row's position.
     *
     * @param turned columns of a head that the tables are for
     */
    LoadedPart load(RowPart part, int turned) {
      var k = tile.k;
      var partition = part.partition(tile.tokens, tile.heads);
      var places = List.of(partition.coordinate(tile.thread, 0), partition.coordinate(tile.thread, RowPart.RUN));
      for (var place : places) place[2] = place[2].plus(part.begin());
      var zero = k.constant(0);
      var rows = source.tile(List.of(1, tile.tokens, tile.heads), k.blockZ(), k.blockX(), headTile, zero);
      var mine = places.getFirst();
      var inside = tile.thread.lessThan(partition.threads()).and(rows.at(zero, mine[0], mine[1], mine[2]).inside());
      var position = tile.first.plus(mine[0]);
      var exists = inside.and(position.atLeast(0));
      var loaded = places.stream().map(at -> rows.at(zero, at[0], at[1], at[2]).vectorOrZeros(RowPart.RUN, exists))
          .toList();
      var result = new LoadedPart(this, places, inside, exists, position, loaded, List.of());
      return part.rotation() == Rotation.NONE ? result : result.turned(part.rotation(), turned / 2);
    }

    /**
     * The multiplier that brings elements of a head to codes.
     *
     * @param factors the tensor with the factor of each head
     */
    F32 inverse(LoadedPart part, String factors) {
      var tensor = tile.k.global(AttentionSpecs.factors(factors));
      var given = tensor.at(tile.k.constant(0), head(part.places().getFirst()[1]), tile.k.blockZ())
          .vectorOrZeros(1, part.inside()).values().getFirst();
      return tile.k.constant(1f).dividedBy(given);
    }
  }

  /** The cosines or sines of a position, {@code count} pairs from one on. */
  static List<F32> angles(LoadedPart part, String name, I32 pair, int count, int pairs) {
    var k = part.heads().k();
    var table = k.global(TensorSpec.of(name, ElementType.F32, "Positions", "Pairs").contiguous("Pairs").aligned(ANGLES)
        .fixed("Pairs", pairs));
    k.trap(part.exists().and(part.position().lessThan(table.extent(0)).not()));
    var values = new ArrayList<F32>();
    for (int i = 0; i < count; i += ANGLES) {
      Vector some = table.at(part.position(), pair.plus(i)).vectorOrZeros(ANGLES, part.exists());
      values.addAll(some.values());
    }
    return values;
  }
}
