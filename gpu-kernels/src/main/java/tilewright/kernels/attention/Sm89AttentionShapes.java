package tilewright.kernels.attention;

import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;

/**
 * Tiles of the kernel for e4m3 operands by head dimension. None spills registers, and two CTAs share the 100 KiB of an
 * SM89's or SM120's shared memory. They are chosen by those limits: no such GPU was at hand to measure them.
 */
final class Sm89AttentionShapes {
  static final int MOST_DIM = 256;
  private static final int[] DIMS = {32, 64, 96, 128, 192, MOST_DIM};
  private static final int QUERIES = 64;
  /** Rows of a tile of which each warp has 32, so that operand B is loaded half as often. */
  private static final int MANY_QUERIES = 128;
  /** The largest head dimension for which registers suffice for that. */
  private static final int MOST_DIM_OF_MANY = 64;
  private static final int KEYS = 64;

  private Sm89AttentionShapes() {}

  /**
   * The smallest tiles that have the head dimensions.
   *
   * @param converted whether operands are multiplied as f16
   */
  static Shape of(AttentionProblem p, boolean converted) {
    if (!converted) return of(p);
    var shape = of(p).converting();
    return shape.tileD() == MOST_DIM ? shape.with(Rematerialisation.QUERIES) : shape;
  }

  /** The smallest tiles that have the head dimensions. */
  static Shape of(AttentionProblem p) {
    for (int dim : DIMS) if (p.largestDim() <= dim) return shape(p, dim);
    throw new IllegalArgumentException("no SM89 attention for head dimension " + p.largestDim() + ": at most "
        + MOST_DIM);
  }

  private static Shape shape(AttentionProblem p, int dim) {
    // Where later tiles see more keys, the long ones of many heads come first.
    int together = p.band().right().isPresent() ? 16 : 1;
    boolean many = dim <= MOST_DIM_OF_MANY && p.sizes().queries() > QUERIES && isPlain(p);
    return new Shape(many ? MANY_QUERIES : QUERIES, KEYS, dim, dim, 4, dim > 128 ? 1 : 2, false, false, 2, together);
  }

  /** Whether nothing takes registers besides the products, the softmax and the factors. */
  private static boolean isPlain(AttentionProblem p) {
    var mod = p.modification();
    return mod.score().isEmpty() && mod.mask().isEmpty() && !p.blockMask() && p.packed().isEmpty()
        && packing(p).heads() == 1;
  }

  /** Heads that read the same keys share tiles where queries are few. Lists of blocks are each head's own. */
  static HeadPacking packing(AttentionProblem p) {
    var s = p.sizes();
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    return p.blockMask() ? HeadPacking.NONE : HeadPacking.of(queries, s.sharers(), QUERIES, QUERIES);
  }
}
