package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;

/**
 * Rows of a tile of queries where several heads read the same keys: query after query, each for so many heads, so that
 * few queries still fill a tile and keys are read once for all of the heads (FlashAttention-3, PackGQA).
 */
public record HeadPacking(int heads) {
  /** A row for each query. */
  public static final HeadPacking NONE = new HeadPacking(1);

  /** The share of rows in use that an unpacked tile may lack before packing is worth it (hopper/heuristics.h). */
  private static final double WORTH = 0.9;

  public HeadPacking {
    if (heads < 1) throw new IllegalArgumentException("invalid packing of " + heads + " heads: 1 or more");
  }

  /** Packs all sharers of a head of keys where tiles are used better for it. */
  public static HeadPacking of(int queries, int sharers, int tile, int packedTile) {
    if (sharers == 1 || queries == 0) return NONE;
    return use(queries, tile) < WORTH * use((long) queries * sharers, packedTile) ? new HeadPacking(sharers) : NONE;
  }

  private static double use(long rows, int tile) {
    return (double) rows / (Math.ceilDiv(rows, tile) * tile);
  }

  /** How many rows so many queries have. */
  public I32 rows(I32 queries) {
    return queries.times(heads);
  }

  /** The query of a row. */
  public I32 query(I32 row) {
    return row.dividedBy(heads);
  }

  /** A row's head, given the head of the tile that it is in: the first one of its packed heads. */
  public I32 head(I32 first, I32 row) {
    return first.plus(row.modulo(heads));
  }
}
