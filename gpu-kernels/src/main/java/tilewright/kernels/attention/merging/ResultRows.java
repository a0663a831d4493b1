package tilewright.kernels.attention.merging;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.collective.attention.StoredTotals;
import tilewright.kernels.attention.AttentionSpecs;

/** The rows of a tile's results: those of O, or where keys are split those of the split's own state, in FP32. */
public sealed interface ResultRows {

  /**
   * Declares the tensors in a kernel.
   *
   * @param splits of the keys
   * @param o (queries, columns, heads, batch)
   * @param columns of O
   * @param statistics of the rows that are stored; splits store logarithms where these are none
   * @param sinks whether a logit of each head takes part in its rows, which merging adds to splits
   */
  static ResultRows of(Scope k, HeadPacking packing, Splitting splits, TensorSpec o, int columns,
      Statistics statistics, boolean sinks) {
    boolean apart = statistics == Statistics.MAXIMA_AND_SUMS;
    return switch (splits) {
      case NONE -> Whole.of(k, packing, o, statistics, sinks);
      case EVEN -> new Partial(SplitStates.of(k, packing, columns, apart));
      case BALANCED -> new Either(k, Whole.of(k, packing, o, statistics, sinks),
          new Partial(SplitStates.of(k, packing, columns, apart)));
    };
  }

  /** The row of that number, counted from the sequence's first. */
  Row row(AttentionTiles.Tile tile, I32 row);

  /**
   * Computes a tile, or says at once that its split has no keys.
   *
   * @param rows of the tile
   */
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

    /** Stores the row's statistics that are asked for. */
    void store(OnlineSoftmax.Total total);
  }

  /** The rows of O. */
  record Whole(HeadPacking packing, GlobalTensor o, StoredTotals stored, Optional<GlobalTensor> sinks)
      implements ResultRows {
    private static Whole of(Scope k, HeadPacking packing, TensorSpec o, Statistics statistics,
        boolean sinks) {
      return new Whole(packing, k.global(o), StoredTotals.of(k, AttentionSpecs.statistics(statistics)),
          sinks ? Optional.of(k.global(AttentionSpecs.sinks())) : Optional.empty());
    }

    @Override
    public Row row(AttentionTiles.Tile tile, I32 row) {
      var query = packing.query(row);
      var head = packing.head(tile.head(), row);
      return new Row() {
        @Override
        public Pred exists() {
          return query.lessThan(o.extent(0)).and(packing.exists(row));
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
        public void store(OnlineSoftmax.Total total) {
          stored.at(tensor -> tensor.at(query, head, tile.batch())).store(total);
        }
      };
    }
  }

  /** The rows of O where a tile has all of its keys, and else those of the state in the slot of its piece. */
  record Either(Scope k, Whole whole, Partial partial) implements ResultRows {
    @Override
    public Row row(AttentionTiles.Tile tile, I32 row) {
      var all = tile.split().lessThan(1);
      var ofO = whole.row(tile, row);
      var ofState = partial.row(tile, row);
      return new Row() {
        @Override
        public Pred exists() {
          return ofO.exists();
        }

        @Override
        public Optional<F32> sink() {
          return ofO.sink().map(logit -> logit.where(all, k.constant(Float.NEGATIVE_INFINITY)));
        }

        @Override
        public void store(I32 column, List<F32> values) {
          k.when(all, () -> ofO.store(column, values), () -> ofState.store(column, values));
        }

        @Override
        public void store(OnlineSoftmax.Total total) {
          k.when(all, () -> ofO.store(total), () -> ofState.store(total));
        }
      };
    }
  }

  /** The rows of a split's state. */
  record Partial(SplitStates states) implements ResultRows {
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
        public void store(OnlineSoftmax.Total total) {
          place.store(total);
        }
      };
    }
  }
}
