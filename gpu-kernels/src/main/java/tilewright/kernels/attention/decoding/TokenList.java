package tilewright.kernels.attention.decoding;

import java.util.List;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.serving.Serving.Tokens;

/**
 * The tokens that a tile's query has in its list: one query, whose heads are the tile's rows. A number that is no token
 * of the cache stops the launch.
 *
 * @param indices (tokens, queries, batch) of 32-bit integers
 * @param pages in the cache
 * @param rows of a page
 */
public record TokenList(Scope k, GlobalTensor indices, I32 pages, int rows) {
  /** Declares the list in a kernel, for pages of {@code rows} rows. */
  public static TokenList of(Scope k, int rows) {
    return new TokenList(k, k.global(AttentionSpecs.indices()), k.constant(0).parameter(PageTable.COUNT), rows);
  }

  /** The token at a place of the query's list: none behind its last one. */
  public I32 token(Tile tile, I32 place) {
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
  public RowPlaces places(Tile tile, I32 first, List<I32> rows) {
    return new RowPlaces(rows, row -> token(tile, first.plus(row)), (_, token) -> place(token));
  }

  private RowPlaces.Place place(I32 token) {
    var page = token.max(0).dividedBy(rows).min(pages.plus(-1)).settled();
    k.trap(token.lessThan(Tokens.NO_TOKEN).or(token.max(0).dividedBy(rows).equalTo(page).not()));
    return new RowPlaces.Place(token.max(0).modulo(rows).where(token.atLeast(0), rows), page);
  }
}
