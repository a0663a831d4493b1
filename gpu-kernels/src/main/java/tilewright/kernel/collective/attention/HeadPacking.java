package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * Rows of a tile of queries where several heads read the same keys: query after query, each for so many heads, so that
 * few queries still fill a tile and keys are read once for all of the heads (FlashAttention-3, PackGQA).
 *
 * @param stride rows from a query to the next: {@code heads}, or more of which the last stay empty
 */
public record HeadPacking(int heads, int stride) {
  /** A row for each query. */
  public static final HeadPacking NONE = new HeadPacking(1);

  /** The share of rows in use that an unpacked tile may lack before packing is worth it (hopper/heuristics.h). */
  private static final double WORTH = 0.9;

  public HeadPacking {
    if (heads < 1 || stride < heads) {
      throw new IllegalArgumentException("invalid packing of " + heads + " heads in " + stride
          + " rows: 1 or more, and a row for each");
    }
  }

  /** Without empty rows. */
  public HeadPacking(int heads) {
    this(heads, heads);
  }

  /** Whether a query has several rows. */
  public boolean packs() {
    return stride > 1;
  }

  /** Packs all sharers of a head of keys where tiles are used better for it. */
  public static HeadPacking of(int queries, int sharers, int tile, int packedTile) {
    return new HeadPacking(sharers).whereWorth(queries, tile, packedTile);
  }

  /** The next power of two of rows for each query, so that boxes of whole queries fill a tile. */
  public HeadPacking inBoxes() {
    return new HeadPacking(heads, Integer.highestOneBit(2 * heads - 1));
  }

  /** This where tiles are used better for it than without, else none. */
  public HeadPacking whereWorth(int queries, int tile, int packedTile) {
    if (heads == 1 || queries == 0) return NONE;
    double packed = use((long) queries * heads, (long) queries * stride, packedTile);
    return use(queries, queries, tile) < WORTH * packed ? this : NONE;
  }

  private static double use(long used, long rows, int tile) {
    return (double) used / (Math.ceilDiv(rows, tile) * tile);
  }

  /** How many rows so many queries have. */
  public I32 rows(I32 queries) {
    return queries.times(stride);
  }

  /** The query of a row. */
  public I32 query(I32 row) {
    return row.dividedBy(stride);
  }

  /** A row's head, given the head of the tile that it is in: the first one of its packed heads. */
  public I32 head(I32 first, I32 row) {
    return first.plus(row.modulo(stride));
  }

  /** Like {@link #head}, and the last head of a query for rows that stay empty. */
  public I32 nearestHead(I32 first, I32 row) {
    return first.plus(row.modulo(stride).min(heads - 1));
  }

  /** Whether a row has a head, and is not one of those that stay empty. */
  public Pred exists(I32 row) {
    return row.modulo(stride).lessThan(heads);
  }
}
