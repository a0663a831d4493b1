package tilewright.kernels.attention;

import tilewright.kernels.attention.Sm80AttentionConfig.Shape;

/** Tiles of the SM80 kernel as they were fastest on an H200, by head dimension. */
final class Sm80AttentionShapes {
  static final int MOST_DIM = 256;
  /** From this many queries on, keys and values in L2 count for more than tiles to hand out. */
  private static final int MANY_QUERIES = 2048;

  private Sm80AttentionShapes() {}

  /** The smallest tiles that have the head dimensions. */
  static Shape of(AttentionProblem problem) {
    int dim = problem.largestDim();
    // Where later tiles see more keys, the long ones of many heads come first.
    int together = problem.band().right().isPresent() ? 16 : 1;
    if (dim <= 32) return new Shape(128, 64, 32, 32, 4, 2, true, false, 2, together);
    if (dim <= 64) return new Shape(128, 64, 64, 64, 4, 2, true, false, 2, together);
    if (dim <= 96) return new Shape(128, 64, 96, 96, 4, 2, false, false, 2, together);
    if (dim <= 128) return new Shape(128, 64, 128, 128, 4, 1, false, false, 2, together);
    if (dim <= 192) return wide(problem, 192);
    if (dim <= MOST_DIM) return wide(problem, MOST_DIM);
    throw new IllegalArgumentException("no SM80 attention for head dimension " + dim + ": at most " + MOST_DIM);
  }

  private static Shape wide(AttentionProblem problem, int dim) {
    return problem.sizes().queries() < MANY_QUERIES
        ? new Shape(64, 64, dim, dim, 4, 1, false, false, 2, 1)
        : new Shape(128, 64, dim, dim, 8, 1, false, false, 1, 8);
  }
}
