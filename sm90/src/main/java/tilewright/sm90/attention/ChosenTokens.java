package tilewright.sm90.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.decoding.RowPlaces;
import tilewright.kernels.attention.serving.Serving.Tokens;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The tokens that a tile's query has in its list: one query, whose heads are the tile's rows. A number that is no token
 * of the cache stops the launch.
 *
 * @param indices (tokens, queries, batch) of 32-bit integers
 * @param pages in the cache
 * @param rows of a page
 * @param noted (key, stage) tokens of the blocks in shared memory, {@link Tokens#NO_TOKEN} where a key is hidden
 */
record ChosenTokens(Scope k, GlobalTensor indices, I32 pages, int rows, SharedTensor noted) {
  /** Neighbours that a thread has of each of its rows of scores. */
  private static final int PAIR = 2;

  static ChosenTokens of(Scope k, int rows) {
    return new ChosenTokens(k, k.global(AttentionSpecs.indices()), k.constant(0).parameter(PagedKeys.COUNT), rows,
        k.shared(ElementType.I32, Layout.columnMajor(MlaConfig.KEYS, MlaConfig.STAGES)));
  }

  /** The token at a place of the query's list: none behind its last one. */
  I32 token(Tile tile, I32 place) {
    var exists = place.lessThan(tile.sequence().keys());
    var number = indices.at(place, tile.query(), tile.batch()).vectorOrZeros(1, exists).integers().getFirst();
    return number.where(exists, Tokens.NO_TOKEN).settled();
  }

  /**
   * The places of some of a block's tokens in the cache.
   *
   * @param first place of the query's list with which the block begins
   * @param rows of the block, whose tokens are all on their way before one of them is used
   */
  RowPlaces places(Tile tile, I32 first, List<I32> rows) {
    var ahead = rows.stream().map(row -> token(tile, first.plus(row))).toList();
    var places = new RowPlaces(row -> place(ahead.get(rows.indexOf(row))));
    rows.forEach(places::of);
    return places;
  }

  private RowPlaces.Place place(I32 token) {
    var page = token.max(0).dividedBy(rows).min(pages.plus(-1)).settled();
    k.trap(token.lessThan(Tokens.NO_TOKEN).or(token.max(0).dividedBy(rows).equalTo(page).not()));
    return new RowPlaces.Place(token.max(0).modulo(rows).where(token.atLeast(0), rows), page);
  }

  /** Scores of a stage's block, −∞ where a key is hidden. */
  List<F32> masked(I32 lane, FragmentRows of, int stage, List<F32> scores) {
    var hidden = k.constant(Float.NEGATIVE_INFINITY);
    var masked = new F32[scores.size()];
    int beside = of.neighbour();
    for (int row = 0; row < of.count(); row++) {
      for (int value : of.of(row)) {
        if (value / beside % PAIR > 0) continue;
        var tokens = noted.at(of.column(lane).plus(of.columnOffset(value)), k.constant(stage)).vector(PAIR).integers();
        IntStream.range(0, PAIR).forEach(i -> masked[value + i * beside] =
            scores.get(value + i * beside).where(tokens.get(i).atLeast(0), hidden));
      }
    }
    return List.of(masked);
  }
}
