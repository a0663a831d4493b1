package tilewright.kernels.attention;

import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;
import tilewright.ptx.Multiprocessor;

/** Tiles of the SM80 kernel as they were fastest on an H200 without spilling registers, by head dimension. */
final class Sm80AttentionShapes {
  static final int MOST_DIM = 256;
  private static final int[] DIMS = {32, 64, 96, 128, 192, MOST_DIM};
  private static final int WIDEST_VECTOR = 8;
  private static final int SMALL_QUERIES = 64;
  /** Queries from which on keys and values in L2 count for more than tiles to hand out. */
  private static final int MANY_QUERIES = 2048;

  private Sm80AttentionShapes() {}

  /**
   * The smallest tiles that have the head dimensions, smaller ones in queries where an SM does not hold them.
   *
   * @param capability of the GPU
   */
  static Shape of(AttentionProblem p, int capability, HeadPacking packing) {
    var sm = Multiprocessor.of(capability);
    for (int dim : DIMS) {
      if (p.largestDim() > dim) continue;
      var usual = isPlain(p, dim) && packing.heads() == 1 ? plain(p, dim, capability)
          : other(p, dim).with(anewForOther(p, dim, capability));
      return usual.tileM() == SMALL_QUERIES || usual.fits(sm, p.type()) ? usual : small(dim, usual.headsTogether());
    }
    throw new IllegalArgumentException("no SM80 attention for head dimension " + p.largestDim() + ": at most "
        + MOST_DIM);
  }

  /** Heads that read the same keys share tiles where queries are few. Lists of blocks are each head's own. */
  static HeadPacking packing(AttentionProblem p) {
    var s = p.sizes();
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    return p.blockMask() ? HeadPacking.NONE : HeadPacking.of(queries, s.sharers(), SMALL_QUERIES,
        SMALL_QUERIES);
  }

  /** Whether nothing takes registers besides the products and the softmax. */
  private static boolean isPlain(AttentionProblem p, int dim) {
    var mod = p.modification();
    return p.sizes().headDim() == dim && p.sizes().valueDim() == dim && mod.score().isEmpty() && mod.mask().isEmpty()
        && !p.blockMask() && p.packed().isEmpty() && Accesses.of(p).areAll(WIDEST_VECTOR);
  }

  private static Shape plain(AttentionProblem p, int dim, int capability) {
    var sm = Multiprocessor.of(capability);
    boolean columns = ValueOrder.of(p.v()) == ValueOrder.COLUMN_MAJOR;
    // Where later tiles see more keys, the long ones of many heads come first.
    int together = p.band().right().isPresent() ? 16 : 1;
    return switch (dim) {
      case 32 -> new Shape(128, 64, dim, dim, 4, 2, true, false, 2, together);
      case 64 -> new Shape(128, 64, dim, dim, 4, 2, false, false, 2, together);
      case 96 -> p.band().left().isPresent() ? small(dim, together)
          : new Shape(128, 64, dim, dim, 4, 2, false, false, 2, together)
              .with(columns ? anewForColumns(capability) : onHopper(sm, Rematerialisation.QUERIES_AND_VALUES));
      // For SM100, and for Hopper with V by columns, ptxas 13.0 spills of 32 rows per warp whatever is computed anew.
      case 128 -> p.band().left().isPresent() || isSm100(capability) || columns && Sm80FfpaConfig.isHopper(sm)
          ? small(dim, together)
          : new Shape(128, 64, dim, dim, 4, 1, false, true, 2, together)
              .with(columns ? Rematerialisation.QUERIES : onHopper(sm, Rematerialisation.KEYS));
      default -> p.sizes().queries() < MANY_QUERIES ? small(dim, 1)
          : new Shape(128, 64, dim, dim, 8, 1, false, false, 1, 8)
              .with(p.sinks().isPresent() ? Rematerialisation.QUERIES : Rematerialisation.NONE);
    };
  }

  private static Rematerialisation anewForColumns(int capability) {
    return isSm100(capability) ? Rematerialisation.KEYS : Rematerialisation.QUERIES_AND_VALUES;
  }

  private static boolean isSm100(int capability) {
    return capability >= Target.SM100A.capability() && capability < Target.SM120.capability();
  }

  /** Returns what ptxas 13.0 has to compute anew to spill nothing for Hopper; for SM80 it would spill more. */
  private static Rematerialisation onHopper(Multiprocessor sm, Rematerialisation anew) {
    return Sm80FfpaConfig.isHopper(sm) ? anew : Rematerialisation.NONE;
  }

  /** The shape for packed sequences and windows, whose bounds leave registers for half as many scores. */
  private static Shape other(AttentionProblem p, int dim) {
    return p.packed().isPresent() && p.band().left().isPresent() && dim > 128
        ? new Shape(SMALL_QUERIES, 32, dim, dim, 4, 1, false, false, 2, 1) : small(dim, 1);
  }

  /** Addresses computed anew where V has fewer columns than K: for Blackwell ptxas 13.0 spills those of some forms. */
  private static Rematerialisation anewForOther(AttentionProblem p, int dim, int capability) {
    return dim == 192 && p.sizes().valueDim() < p.sizes().headDim() && capability >= Target.SM100A.capability()
        ? Rematerialisation.QUERIES_AND_VALUES : Rematerialisation.NONE;
  }

  /** Sixteen rows per warp leave registers for what else there is. */
  private static Shape small(int dim, int together) {
    return new Shape(SMALL_QUERIES, 64, dim, dim, 4, 1, false, false, 2, together);
  }
}
