package tilewright.kernels.attention;

import java.util.Locale;

/** How a CTA divides its work among warps, and shared memory among Q, K and V. */
public enum Way {
  SPLIT_KV(256, 256, "warps share out queries and keys, and pass weights through shared memory"),
  SPLIT_Q(256, 256, "warps share out queries only; weights stay in registers (FlashAttention-2)"),
  SHARED_KV(256, 256, "K and V take turns in the same shared memory"),
  SHARED_QKV(256, 128, "Q goes to registers, and K and V take turns in its shared memory"),
  TILED_QK(1024, 256, "Q and K come in chunks of the head dimension"),
  TILED_QKV(1024, 96, "Q, K and V come in chunks: shared memory does not grow with the head dimension (FFPA)"),
  TILED_KV(1024, 0, "Q stays in shared memory; K comes in chunks of columns and V in chunks of keys, through a ring");

  private final int mostDim;
  private final int wholeRows;
  private final String text;

  Way(int mostDim, int wholeRows, String text) {
    this.mostDim = mostDim;
    this.wholeRows = wholeRows;
    this.text = text;
  }

  /** The largest head dimension whose accumulators registers hold. */
  public int mostDim() {
    return mostDim;
  }

  /**
   * The largest head dimension for which a warp's registers hold whole rows of O; beyond, warps share rows.
   */
  int wholeRows() {
    return wholeRows;
  }

  public String text() {
    return text;
  }

  /** The name in lower case, such as {@code split_kv}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean tilesScores() {
    return this == TILED_QK || this == TILED_QKV;
  }

  /** Whether Q stays in shared memory while chunks of K and V go through a ring of slots. */
  boolean rings() {
    return this == TILED_KV;
  }

  /** Tiles of K or V in shared memory at once, where nothing else is asked for. */
  public int slots() {
    return this == SHARED_KV || this == SHARED_QKV ? 1 : 2;
  }
}
