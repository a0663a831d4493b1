package tilewright.kernels.attention.backward;

import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.Sm80BackwardConfig.Shape;

/** Tiles of the SM80 gradients by head dimension, those of FlashAttention-2 (flash_bwd_launch_template.h). */
final class Sm80BackwardShapes {
  static final int MOST_DIM = 256;
  private static final int[] DIMS = {32, 64, 96, 128, 192, MOST_DIM};
  private static final int WARPS = 8;
  private static final int HEADS_TOGETHER = 16;

  private Sm80BackwardShapes() {}

  /** The smallest tiles that have the head dimensions. */
  static Shape of(AttentionProblem p) {
    int dim = dim(p.largestDim());
    int tileD = dim(p.sizes().headDim());
    int tileDv = dim(p.sizes().valueDim());
    return switch (dim) {
      case 32, 64 -> new Shape(128, 128, tileD, tileDv, WARPS, 4, 4, 4, 2, HEADS_TOGETHER);
      // Each warp multiplies 16 columns at a time.
      case 96 -> new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 4, 2, HEADS_TOGETHER);
      case 128 -> new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 2, 2, HEADS_TOGETHER);
      case 192 -> new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 2, HEADS_TOGETHER);
      default -> new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 1, HEADS_TOGETHER);
    };
  }

  private static int dim(int needed) {
    for (int dim : DIMS) if (needed <= dim) return dim;
    throw new IllegalArgumentException("no SM80 gradients of attention for head dimension " + needed + ": at most "
        + MOST_DIM);
  }
}
