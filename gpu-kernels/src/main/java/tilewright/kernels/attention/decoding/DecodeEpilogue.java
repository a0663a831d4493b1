package tilewright.kernels.attention.decoding;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernels.attention.merging.ResultRows;

/** The end of a tile: the groups' states are merged, and its rows are stored. */
record DecodeEpilogue(Scope k, DecodeConfig config, ResultRows results) {
  /** Neighbours of O that a thread stores at a time. */
  private static final int VECTOR = 4;

  static DecodeEpilogue of(Scope k, DecodeConfig config) {
    return new DecodeEpilogue(k, config,
        ResultRows.of(k, config.packing(), config.splits(), config.o(), config.valueDim(), config.statistics(),
            config.sinks()));
  }

  /**
   * Stores some columns of a tile's rows, by all threads of the CTA.
   *
   * @param firstRow of the tile, counted from the sequence's first
   * @param states which have the columns from {@code first} on
   */
  void store(I32 thread, AttentionTiles.Tile tile, I32 firstRow, GroupStates states, int first) {
    int vectors = states.columns() / VECTOR;
    k.loop(thread, k.constant(config.shape().rows() * vectors), config.shape().threads(), index -> {
      var row = results.row(tile, firstRow.plus(index.dividedBy(vectors)));
      var column = index.modulo(vectors).times(VECTOR);
      k.when(row.exists().and(column.lessThan(config.valueDim() - first)), () -> {
        var merged = states.merged(index.dividedBy(vectors), row.sink());
        row.store(column.plus(first), merged.columns(column, VECTOR));
        if (first == 0) k.when(column.lessThan(1), () -> row.store(merged.total()));
      });
    });
  }
}
