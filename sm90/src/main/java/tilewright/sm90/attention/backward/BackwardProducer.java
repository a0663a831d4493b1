package tilewright.sm90.attention.backward;

import tilewright.async.atom.BulkCopy;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernels.attention.backward.GradientWorkspace;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.QueryTiles;

/** The thread that has K and V copied once, and Q and dO tile by tile with their rows' statistics. */
record BackwardProducer(Scope k, Sm90BackwardConfig config, BackwardTiles tiles, BackwardRings rings,
    QueryTiles slots) {

  void run(KeyBlock block) {
    var itself = block.itself();
    var keys = rings.keys().producer();
    var queries = rings.queries().producer();
    var gradients = rings.gradients().producer(queries);
    var logarithms = k.global(GradientWorkspace.logarithms());
    var sums = k.global(GradientWorkspace.sums());
    var values = rings.values().producer();
    var walk = block.walk();
    k.loop(block.count(), step -> {
      var tile = walk.tile();
      k.when(step.lessThan(1), () -> tiles.key().load(k, keys.stage(), keys.expect(tiles.key().bytes()),
          coordinates().keys(itself, block.firstKey())));
      queries.awaitEmpty();
      copy(queries, tiles.q(), tiles.logarithms(), logarithms, tile);
      // V is needed after the first S.
      k.when(step.lessThan(1), () -> tiles.value().load(k, values.stage(),
          values.expect(tiles.value().bytes()), coordinates().values(itself, block.firstKey())));
      copy(gradients, tiles.dO(), tiles.sums(), sums, tile);
      queries.advance();
      walk.advance();
    });
  }

  /** A tile's rows of Q or dO, and a number for each, in a stage that is free. */
  private void copy(Pipeline.Cursor ring, TensorTile rows, SharedTensor numbers, GlobalTensor statistics,
      KeyBlock.Tile tile) {
    int queries = config.shape().queries();
    int bytes = queries * Float.BYTES;
    var landed = ring.expect(rows.bytes() + bytes);
    var zero = k.constant(0);
    rows.load(k, ring.stage(), landed, coordinates().queries(tile, tile.number().times(queries), zero));
    var first = slots.slot(tile.batch(), tile.number()).times(queries);
    BulkCopy.load(k, numbers.at(zero, ring.stage()), statistics.at(first, tile.head()), k.constant(bytes), landed);
  }

  private TileCoordinates coordinates() {
    return config.coordinates(k);
  }
}
