package tilewright.kernels.attention.backward;

import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.Sm80BackwardConfig.Shape;

/**
 * Tiles of the SM80 gradients by head dimension: those of FlashAttention-2 (flash_bwd_launch_template.h), and smaller
 * ones where something besides the products needs registers.
 */
final class Sm80BackwardShapes {
  static final int MOST_DIM = 256;
  private static final int[] DIMS = {32, 64, 96, 128, 192, MOST_DIM};
  private static final int SMALL_DIM = 64;
  private static final int WIDEST_VECTOR = 8;
  private static final int WARPS = 8;
  private static final int HEADS_TOGETHER = 16;

  private Sm80BackwardShapes() {}

  /**
   * The smallest tiles that have the head dimensions.
   *
   * @param vector elements that one access moves
   */
  static Shape of(AttentionBackwardProblem problem, int vector) {
    var p = problem.forward();
    var s = p.sizes();
    int dim = dim(p.largestDim());
    int tileD = dim(s.headDim());
    int tileDv = dim(s.valueDim());
    boolean plain = vector == WIDEST_VECTOR && s.headDim() == tileD && s.valueDim() == tileDv
        && p.modification().equals(Modification.NONE) && !(problem.deterministic() && isFull(p, dim));
    return switch (dim) {
      case 32, 64 -> plain ? new Shape(128, 128, tileD, tileDv, WARPS, 4, 4, 4, 2, HEADS_TOGETHER)
          : new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 4, 2, HEADS_TOGETHER);
      // Each warp multiplies 16 columns at a time.
      case 96 -> plain ? new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 4, 2, HEADS_TOGETHER) : small(tileD, tileDv);
      case 128 -> plain ? new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 2, 2, HEADS_TOGETHER) : small(tileD, tileDv);
      case 192 -> plain ? new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 2, HEADS_TOGETHER)
          : new Shape(32, 64, tileD, tileDv, WARPS, 2, 4, 2, 2, HEADS_TOGETHER);
      default -> plain ? new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 1, HEADS_TOGETHER)
          : new Shape(32, 64, tileD, tileDv, WARPS, 2, 4, 2, 1, HEADS_TOGETHER);
    };
  }

  private static Shape small(int tileD, int tileDv) {
    return new Shape(64, 64, tileD, tileDv, WARPS, 4, 4, 4, 2, HEADS_TOGETHER);
  }

  /** Whether the plain tiles leave no registers for the order of additions. */
  private static boolean isFull(AttentionProblem p, int dim) {
    return dim == MOST_DIM || dim <= SMALL_DIM && p.band().right().isPresent();
  }

  private static int dim(int needed) {
    for (int dim : DIMS) if (needed <= dim) return dim;
    throw new IllegalArgumentException("no SM80 gradients of attention for head dimension " + needed + ": at most "
        + MOST_DIM);
  }
}
