package tilewright.async.attention;

import tilewright.async.collective.RaggedRows;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.SequenceHead;
import tilewright.kernels.attention.ValueOrder;

/**
 * The coordinates at which a tile's boxes begin in Q, K, V and O.
 *
 * @param packed whether sequences lie one after the other
 * @param packing how heads share the rows of a tile
 * @param values the order of V
 * @param raggedKeys whether boxes of K and V stop at a sequence's last key
 */
public record TileCoordinates(Scope k, boolean packed, HeadPacking packing, ValueOrder values, boolean raggedKeys) {
  /** Keys at whose multiples boxes may begin where keys are neighbours: 16 bytes or more. */
  private static final int GRANULE = 16;

  /** Creates the coordinates of sequences whose keys lie as their queries do. */
  public TileCoordinates(Scope k, boolean packed, HeadPacking packing, ValueOrder values) {
    this(k, packed, packing, values, packed);
  }

  /** Creates the coordinates of tiles in which each query has one row. */
  public TileCoordinates(Scope k, boolean packed) {
    this(k, packed, HeadPacking.NONE, ValueOrder.ROW_MAJOR);
  }

  /** Coordinates in Q and O, from the row of the sequence at which a query begins. */
  public I32[] queries(SequenceHead tile, I32 row, I32 column) {
    var s = tile.sequence();
    if (packing.packs()) {
      var query = packing.query(row);
      return packed ? RaggedRows.coordinate(s.firstQuery(), s.queries(), 2, tile.head(), column, query)
          : new I32[] {k.constant(0), column, query, tile.headOfKeys(), tile.batch()};
    }
    return packed ? RaggedRows.coordinate(s.firstQuery(), s.queries(), 0, row, column, tile.head())
        : new I32[] {row, column, tile.head(), tile.batch()};
  }

  /** Coordinates in K, from a key of the sequence on. */
  public I32[] keys(SequenceHead tile, I32 row) {
    return keys(tile, row, k.constant(0));
  }

  /** Coordinates in K, from a key of the sequence and a column on. */
  public I32[] keys(SequenceHead tile, I32 row, I32 column) {
    var s = tile.sequence();
    var head = tile.headOfKeys();
    return raggedKeys ? RaggedRows.coordinate(s.firstKey(), s.keys(), 0, row, column, head)
        : new I32[] {existing(tile, row, 1), column, head, tile.batch()};
  }

  /** Coordinates in V, from a key of the sequence on. */
  public I32[] values(SequenceHead tile, I32 row) {
    return values(tile, row, k.constant(0));
  }

  /** Coordinates in V, from a key of the sequence and a column on. */
  public I32[] values(SequenceHead tile, I32 row, I32 column) {
    var s = tile.sequence();
    var head = tile.headOfKeys();
    if (packed && values == ValueOrder.COLUMN_MAJOR) {
      return new I32[] {column, s.firstKey().plus(row), head, k.constant(0)};
    }
    return raggedKeys ? RaggedRows.coordinate(s.firstKey(), s.keys(), 1, column, row, head)
        : new I32[] {column, existing(tile, row, values == ValueOrder.COLUMN_MAJOR ? GRANULE : 1), head, tile.batch()};
  }

  /**
   * A map of no keys still has one row, behind which all is zero.
   *
   * @param step rows that a box may begin behind another
   */
  private I32 existing(SequenceHead tile, I32 row, int step) {
    return row.plus(k.constant(step).where(tile.sequence().keys().lessThan(1), 0));
  }

  /** The batch entry of the tensor that a tile is in. */
  public I32 entry(SequenceHead tile) {
    return packed ? k.constant(0) : tile.batch();
  }
}
