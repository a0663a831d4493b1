package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.merging.SplitStates;

/** The end of a tile: its rows are stored in O, or where keys are split in FP32 in the split's own state. */
sealed interface DecodeEpilogue {
  /** Neighbours of O that a thread stores at a time. */
  int VECTOR = 4;

  static DecodeEpilogue of(Scope k, DecodeConfig config) {
    if (config.split()) return new Partial(SplitStates.of(k, config.packing()));
    return new Whole(k, config, k.global(config.o()),
        config.lse() ? Optional.of(k.global(AttentionSpecs.logSumExp())) : Optional.empty(),
        config.sinks() ? Optional.of(k.global(AttentionSpecs.sinks())) : Optional.empty());
  }

  /** The row of that number, counted from the sequence's first. */
  Row row(AttentionTiles.Tile tile, I32 row);

  /** Computes a tile and stores it, or says at once that it has no keys. */
  default void whereNeeded(Scope k, I32 thread, AttentionTiles.Tile tile, int rows, Runnable compute) {
    compute.run();
  }

  /** A row of a tile. */
  interface Row {
    /** Whether a query and a head have the row. */
    Pred exists();

    /** The logit that takes part in the row's softmax, if there is one. */
    Optional<F32> sink();

    /** Stores neighbours of O from a column on. */
    void store(I32 column, List<F32> values);

    /** Stores the row's logarithm, where that is asked for. */
    void store(F32 log);
  }

  /**
   * Stores some columns of a tile's rows, by all threads of the CTA.
   *
   * @param firstRow of the tile, counted from the sequence's first
   * @param states which have the columns from {@code first} on
   */
  default void store(Scope k, DecodeConfig config, I32 thread, AttentionTiles.Tile tile, I32 firstRow,
      GroupStates states, int first) {
    int vectors = states.columns() / VECTOR;
    k.loop(thread, k.constant(config.shape().rows() * vectors), config.shape().threads(), index -> {
      var row = row(tile, firstRow.plus(index.dividedBy(vectors)));
      var column = index.modulo(vectors).times(VECTOR);
      k.when(row.exists().and(column.lessThan(config.valueDim() - first)), () -> {
        var merged = states.merged(index.dividedBy(vectors), row.sink());
        row.store(column.plus(first), merged.columns(column, VECTOR));
        if (first == 0) k.when(column.lessThan(1), () -> row.store(merged.logSumExp()));
      });
    });
  }

  /** The epilogue of keys that are not split. */
  record Whole(Scope k, DecodeConfig config, GlobalTensor o, Optional<GlobalTensor> lse, Optional<GlobalTensor> sinks)
      implements DecodeEpilogue {
    @Override
    public Row row(AttentionTiles.Tile tile, I32 row) {
      var query = config.packing().query(row);
      var head = config.packing().head(tile.head(), row);
      return new Row() {
        @Override
        public Pred exists() {
          return query.lessThan(o.extent(0)).and(config.packing().exists(row));
        }

        @Override
        public Optional<F32> sink() {
          return sinks.map(logits -> logits.at(head).load());
        }

        @Override
        public void store(I32 column, List<F32> values) {
          o.at(query, column, head, tile.batch()).store(values);
        }

        @Override
        public void store(F32 log) {
          lse.ifPresent(tensor -> tensor.at(query, head, tile.batch()).store(log));
        }
      };
    }
  }

  /** The epilogue of a split of the keys. */
  record Partial(SplitStates states) implements DecodeEpilogue {
    @Override
    public void whereNeeded(Scope k, I32 thread, AttentionTiles.Tile tile, int rows, Runnable compute) {
      k.when(tile.blocks().any(), compute,
          () -> k.when(thread.lessThan(1), () -> states.leaveEmpty(tile, rows)));
    }

    @Override
    public Row row(AttentionTiles.Tile tile, I32 row) {
      var place = new SplitStates.Row(states, row, tile);
      return new Row() {
        @Override
        public Pred exists() {
          return place.exists();
        }

        @Override
        public Optional<F32> sink() {
          return Optional.empty();
        }

        @Override
        public void store(I32 column, List<F32> values) {
          place.store(column, values);
        }

        @Override
        public void store(F32 log) {
          place.store(log);
        }
      };
    }
  }
}
