package tilewright.kernels.attention.merging;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.StoredTotals;

/**
 * Where splits of the keys leave their O and logarithms, or maxima and sums, in FP32.
 *
 * @param o (Dv, queries, heads, batch, splits)
 * @param stored (queries, heads, batch, splits)
 */
public record SplitStates(Scope k, HeadPacking packing, GlobalTensor o, StoredTotals stored) {
  /** Declares the tensors in a kernel, for rows whose maxima and sums are apart or not. */
  public static SplitStates of(Scope k, HeadPacking packing, boolean apart) {
    return of(k, packing, PartialStates.specO(), apart);
  }

  /** Declares the tensors in a kernel for a known number of columns. */
  public static SplitStates of(Scope k, HeadPacking packing, int columns, boolean apart) {
    return of(k, packing, PartialStates.specO().fixed("Dv", columns), apart);
  }

  private static SplitStates of(Scope k, HeadPacking packing, TensorSpec spec, boolean apart) {
    var o = k.global(spec);
    // A row that has a logarithm has an O.
    for (int mode = 1; mode < o.rank(); mode++) o = o.covered(mode);
    return new SplitStates(k, packing, o, StoredTotals.of(k, PartialStates.specs(apart)));
  }

  /** A row of a tile: query after query, each for its heads. */
  public record Row(SplitStates states, I32 row, Tile tile) {
    private I32 query() {
      return states.packing.query(row);
    }

    private I32 head() {
      return states.packing.head(tile.head(), row);
    }

    private StoredTotals.Places places() {
      var query = query();
      var head = head();
      return states.stored.at(tensor -> tensor.at(query, head, tile.batch(), tile.split()));
    }

    /** Whether the tile has the row. */
    public Pred exists() {
      return places().inside().and(states.packing.exists(row));
    }

    /** Stores the row's logarithm, or its maximum and sum. */
    public void store(OnlineSoftmax.Total total) {
      places().store(total);
    }

    /** Stores neighbours of O from a column on, if there is such a column. */
    public void store(I32 column, List<F32> values) {
      var place = states.o.at(column, query(), head(), tile.batch(), tile.split());
      states.k.when(place.inside(), () -> place.store(values));
    }
  }

  /** Says for all of a tile's rows that its split has no keys: a thread of a tile that no one else has. */
  public void leaveEmpty(Tile tile, int rows) {
    var first = packing.rows(tile.query());
    var end = first.plus(rows).min(packing.rows(tile.sequence().queries()));
    k.loop(first, end, 1, at -> {
      var row = new Row(this, at, tile);
      k.when(row.exists(), () -> row.store(OnlineSoftmax.Total.none(k)));
    });
  }
}
