package tilewright.kernels.attention.decoding;

import java.util.Arrays;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * Tiles of a CTA. Its warps are groups: the warps of a group share its keys, each with 16 rows, and each group has keys
 * of its own in every block, and a softmax of its own. Groups meet once, at the end.
 *
 * @param rows of a tile: queries times the heads that share keys; 16, 32 or 64
 * @param keys of a group in a block
 * @param dim head dimension of the tiles
 * @param stages of K and V in shared memory
 * @param resident CTAs of an SM that registers are to suffice for
 */
public record DecodeShape(int rows, int keys, int dim, int stages, int resident) {
  static final int MOST_DIM = 256;
  static final int MOST_ROWS = 64;
  private static final int WARPS = 4;
  private static final int[] DIMS = {64, 96, 128, 192, MOST_DIM};
  /** The head dimension up to which registers and shared memory suffice for two CTAs. */
  private static final int ROOMY_DIM = 128;
  private static final int MOST_STAGES = 4;
  private static final int MOST_RESIDENT = 3;

  /**
   * The tiles for a number of rows and a head dimension with the most stages that an SM's shared memory holds.
   *
   * @param cache type of K and V
   */
  static DecodeShape of(int rows, int dim, ElementType type, ElementType cache, Multiprocessor sm) {
    int tile = Math.clamp(MmaAtom.M * Integer.highestOneBit(2 * Math.ceilDiv(rows, MmaAtom.M) - 1), MmaAtom.M,
        MOST_ROWS);
    int width = Arrays.stream(DIMS).filter(d -> dim <= d).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no decoding for head dimension " + dim + ": at most " + MOST_DIM));
    int resident = width <= ROOMY_DIM ? 2 : 1;
    for (int stages = MOST_STAGES; stages > 2; stages--) {
      var shape = new DecodeShape(tile, MmaAtom.K * tile / MmaAtom.M, width, stages, resident);
      if (resident * (shape.sharedBytes(type, cache) + Multiprocessor.RESERVED_BYTES) <= sm.sharedBytes()) return shape;
    }
    return new DecodeShape(tile, MmaAtom.K * tile / MmaAtom.M, width, 2, 1);
  }

  /** Bytes of Q, K and V, and of the groups' results where they need more. */
  int sharedBytes(ElementType type, ElementType cache) {
    int ring = 2 * stages * blockKeys() * dim * cache.bytes();
    return rows * dim * type.bytes() + ring;
  }

  int threads() {
    return WARPS * Warp.SIZE;
  }

  int warpsOfGroup() {
    return rows / MmaAtom.M;
  }

  int threadsOfGroup() {
    return warpsOfGroup() * Warp.SIZE;
  }

  int groups() {
    return WARPS / warpsOfGroup();
  }

  /** Keys of a block: those of all groups. */
  int blockKeys() {
    return keys * groups();
  }

  /** S = Q·Kᵀ of a group: (rows, keys), over the head dimension. */
  TiledMma.Shape scores() {
    return new TiledMma.Shape(rows, keys, dim, warpsOfGroup(), 1, true, true);
  }

  /** O = P·V of a group: (rows, head dimension), over the keys. */
  TiledMma.Shape output() {
    return new TiledMma.Shape(rows, dim, keys, warpsOfGroup(), 1, true, false);
  }
}
