package tilewright.kernels.attention.variants;

import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;

/**
 * What is fixed when a variant is traced.
 *
 * @param type of Q, K, V and O
 * @param accumulator of both products: singles, or f16
 * @param dim of a head
 * @param swizzled the letters of those of Q, K and V whose tiles are swizzled, such as {@code qk}
 */
public record VariantConfig(Way way, ElementType type, ElementType accumulator, int dim, String swizzled) {
  /** Elements that one access moves. */
  static final int VECTOR = 8;
  /** A row of all banks. */
  private static final int WIDE_CHUNK = 64;
  private static final int NARROW_CHUNK = 32;
  private static final int TILE = 64;
  /** Up to these head dimensions registers hold whole rows of O beside the addresses of chunks, or half of them. */
  private static final int WHOLE_ROWS = 96;
  private static final int HALF_ROWS = 512;

  public VariantConfig {
    int unit = dim > HALF_ROWS ? WIDE_CHUNK : NARROW_CHUNK;
    if (dim < unit || dim > way.mostDim() || dim % unit != 0) {
      throw new IllegalArgumentException("no attention_" + way + " for head dimension " + dim + ": a multiple of "
          + unit + " up to " + way.mostDim());
    }
  }

  /** Queries of a CTA. */
  public int tileM() {
    return warpsN() > 2 ? TILE / 2 : TILE;
  }

  /** Keys of a block. */
  int tileN() {
    return TILE;
  }

  int warpsM() {
    return way == Way.SPLIT_KV || warpsN() > 2 ? 2 : 4;
  }

  /** Warps that share rows: each has some of the keys of S, and some of the columns of O. */
  int warpsN() {
    if (way == Way.SPLIT_KV) return 2;
    if (way != Way.TILED_QKV || dim <= WHOLE_ROWS) return 1;
    return dim <= HALF_ROWS ? 2 : 4;
  }

  int threads() {
    return 32 * warpsM() * warpsN();
  }

  /** Columns of Q and K at a time. */
  int chunkOfScores() {
    return way.tilesScores() ? chunk() : dim;
  }

  /** Columns of V and O at a time. */
  int chunkOfOutput() {
    return way == Way.TILED_QKV ? chunk() : dim;
  }

  private int chunk() {
    return dim % WIDE_CHUNK == 0 ? WIDE_CHUNK : NARROW_CHUNK;
  }

  /** Tiles of K or V in shared memory at once. */
  int slots() {
    return way.takesTurns() ? 1 : 2;
  }

  /** S = Q·Kᵀ over a chunk of the head dimension. */
  TiledMma.Shape scores() {
    return new TiledMma.Shape(tileM(), tileN(), chunkOfScores(), warpsM(), warpsN(), true, true);
  }

  /** A chunk of O = P·V over the keys of a block. */
  TiledMma.Shape output() {
    return new TiledMma.Shape(tileM(), chunkOfOutput(), tileN(), warpsM(), warpsN(), true, false);
  }

  /** A tile of the tensor of that letter, neighbours along its columns. */
  OffsetMap alongColumns(String letter, int rows, int columns, int stages) {
    return swizzled.contains(letter) ? SwizzledTile.alongColumns(rows, columns, stages)
        : Layout.of(Layout.of(rows, columns), Layout.of(columns, 1), Layout.of(stages, (long) rows * columns));
  }

  /** Of V, neighbours along its rows: the head dimension. */
  OffsetMap alongRows(int rows, int columns, int stages) {
    return swizzled.contains("v") ? SwizzledTile.alongRows(rows, columns, stages)
        : Layout.columnMajor(rows, columns, stages);
  }
}
