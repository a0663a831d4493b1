package tilewright.sm90.attention;

import tilewright.async.collective.Pipeline;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernels.attention.merging.Splitting;

/** The queries of tiles, as one thread has them copied. */
record MlaQueries(Scope k, MlaConfig config, LatentTile tile, Pipeline.Cursor ring) {

  void copy(Tile of) {
    var coordinates = config.coordinates(k);
    var row = config.packing().rows(of.query());
    // Of several tiles of a CTA, the next one's queries take the place of those of the tile before.
    boolean several = config.splits() == Splitting.BALANCED;
    var landed = several ? ring.acquire(tile.bytes()) : ring.expect(tile.bytes());
    tile.load(k, ring.stage(), landed, column -> coordinates.queries(of, row, column));
    if (several) ring.advance();
  }
}
