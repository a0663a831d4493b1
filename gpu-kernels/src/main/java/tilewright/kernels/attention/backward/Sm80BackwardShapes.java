package tilewright.kernels.attention.backward;

import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.Sm80BackwardConfig.Shape;
import tilewright.ptx.Multiprocessor;

/**
 * Tiles of the SM80 gradients by head dimension: those of FlashAttention-2 (flash_bwd_launch_template.h), and smaller
 * ones where something besides the products needs registers.
 */
final class Sm80BackwardShapes {
  static final int MOST_DIM = 256;
  private static final int[] DIMS = {32, 64, 96, 128, 192, MOST_DIM};
  /** The head dimension whose accumulators take most of the registers. */
  private static final int FULL_DIM = 64;
  private static final int WIDEST_VECTOR = 8;
  private static final int WARPS = 8;
  private static final int HEADS_TOGETHER = 16;
  /** Heads together at the largest dimension: Q, dO and dQ of more leave L2. */
  private static final int LARGE_HEADS_TOGETHER = 4;
  /** The fewest heads together where blocks walk tile by tile: L2 has a tile of Q, dO and dQ of each. */
  private static final int HEADS_BY_TILE = 8;
  /** Heads of Q on one of K of which those that blocks walk at a time leave L2, on an H100. */
  private static final int MANY_SHARERS = 8;
  /** Heads together whose blocks begin at their diagonals, in a fixed order: Q, dO and dQ of more leave L2. */
  private static final int HEADS_OF_DIAGONALS = 2;
  /** The shared memory of GPUs for which ptxas 13.0 spills if addresses for packed sequences stay in registers. */
  private static final int HOPPERS_BYTES = Multiprocessor.of(90).ctaSharedBytes();
  /** Tiles that a block stays behind the one before it, in a fixed order. */
  private static final int LAG = 1;

  private Sm80BackwardShapes() {}

  /**
   * The smallest tiles that have the head dimensions.
   *
   * @param vector elements that one access moves
   * @param capability of the GPU
   */
  static Shape of(AttentionBackwardProblem problem, int vector, int capability) {
    int sharedBytes = Multiprocessor.of(capability).ctaSharedBytes();
    var p = problem.forward();
    var s = p.sizes();
    int dim = dim(p.largestDim());
    int tileD = dim(s.headDim());
    int tileDv = dim(s.valueDim());
    boolean plain = vector == WIDEST_VECTOR && s.headDim() == tileD && s.valueDim() == tileDv
        && p.modification().equals(Modification.NONE) && !p.blockMask() && !isFull(problem, dim)
        && !(isSm100(capability) && dim == 128 && p.packed().isPresent());
    var shape = Stream.of(shape(dim, tileD, tileDv, plain), shape(dim, tileD, tileDv, false), least(tileD, tileDv))
        .map(tiles -> narrow(tiles, problem)).flatMap(tiles -> Stream.of(tiles, tiles.inOneStage()))
        .filter(tiles -> tiles.sharedBytes(p.type()) <= sharedBytes).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no SM80 gradients of attention for head dimensions "
            + s.headDim() + " and " + s.valueDim() + " fit " + sharedBytes + " bytes of shared memory a CTA"))
        .withAddressesAnew(p.packed().isPresent() && sharedBytes >= HOPPERS_BYTES
            || plain && dim == 128 && isSm100(capability));
    if (walk(problem) == KeyBlock.Order.BY_TILE) {
      return shape.withHeadsTogether(Math.max(shape.headsTogether(), HEADS_BY_TILE));
    }
    return problem.deterministic() ? shape.withHeadsTogether(headsInOrder(p, shape, capability)) : shape;
  }

  /** Whether ptxas 13.0 spills of the plain tiles at 128: 4 bytes if addresses stay in registers, if packed always. */
  private static boolean isSm100(int capability) {
    return capability >= Target.SM100A.capability() && capability < Target.SM120.capability();
  }

  /** Tile by tile where many heads share keys: those that blocks of one diagonal walk by heads leave L2. */
  static KeyBlock.Order walk(AttentionBackwardProblem problem) {
    var p = problem.forward();
    boolean diagonal = p.band().right().isPresent() && p.band().left().isEmpty();
    return !problem.deterministic() && diagonal && p.sizes().sharers() >= MANY_SHARERS && dim(p.largestDim()) > FULL_DIM
        ? KeyBlock.Order.BY_TILE : KeyBlock.Order.BY_HEAD;
  }

  /** Tiles that the shared memory of a GeForce holds at any head dimension. */
  private static Shape least(int tileD, int tileDv) {
    return new Shape(32, 32, tileD, tileDv, 4, 2, 2, 2, 1, LARGE_HEADS_TOGETHER);
  }

  /** Fewer keys of S a warp where the diagonals of packed sequences leave fewer registers for columns of K and V. */
  private static Shape narrow(Shape shape, AttentionBackwardProblem problem) {
    var p = problem.forward();
    boolean full = p.packed().isPresent() && p.band().right().isPresent() && !problem.deterministic();
    return full && shape.tileD() == MOST_DIM && shape.warpsOfScores() > shape.warpsOfKeys()
        ? shape.withWarpsOfScores(shape.warpsOfKeys()) : shape;
  }

  private static Shape shape(int dim, int tileD, int tileDv, boolean plain) {
    return switch (dim) {
      case 32, 64 -> plain ? new Shape(128, 128, tileD, tileDv, WARPS, 4, 4, 4, 2, HEADS_TOGETHER)
          : new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 4, 2, HEADS_TOGETHER);
      // Each warp multiplies 16 columns at a time.
      case 96 -> plain ? new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 4, 2, HEADS_TOGETHER) : small(tileD, tileDv);
      case 128 -> plain ? new Shape(64, 128, tileD, tileDv, WARPS, 2, 4, 2, 2, HEADS_TOGETHER) : small(tileD, tileDv);
      case 192 -> plain ? new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 2, HEADS_TOGETHER)
          : new Shape(32, 64, tileD, tileDv, WARPS, 2, 4, 2, 2, HEADS_TOGETHER);
      default -> plain ? new Shape(64, 64, tileD, tileDv, WARPS, 4, 2, 2, 2, LARGE_HEADS_TOGETHER)
          : new Shape(32, 64, tileD, tileDv, WARPS, 2, 4, 2, 2, LARGE_HEADS_TOGETHER);
    };
  }

  private static Shape small(int tileD, int tileDv) {
    return new Shape(64, 64, tileD, tileDv, WARPS, 4, 4, 4, 2, HEADS_TOGETHER);
  }

  /** Whether packed sequences, diagonals and a fixed order need more registers than the plain tiles leave. */
  private static boolean isFull(AttentionBackwardProblem problem, int dim) {
    var p = problem.forward();
    return dim == FULL_DIM && problem.deterministic() && p.packed().isPresent() && p.band().right().isPresent();
  }

  /** Heads whose blocks run side by side in a fixed order: a power of two, which divides most numbers of heads. */
  private static int headsInOrder(AttentionProblem p, Shape shape, int capability) {
    var order = new DeterministicOrder(p.band(), shape.tileM(), shape.tileN());
    if (order.descends()) return HEADS_OF_DIAGONALS;
    int heads = order.headsForLag(p.sizes().queries(), LAG, Chip.largest(capability).multiprocessors());
    return Math.max(HEADS_TOGETHER, Integer.highestOneBit(heads));
  }

  private static int dim(int needed) {
    for (int dim : DIMS) if (needed <= dim) return dim;
    throw new IllegalArgumentException("no SM80 gradients of attention for head dimension " + needed + ": at most "
        + MOST_DIM);
  }
}
