package tilewright.layout;

/**
 * The choices in which implementations of the algebra differ. Each gives a result that satisfies the operation's
 * defining equation or is refused: what an implementation returns in violation of the equation no dialect returns.
 *
 * @param domain where a left operand of a composition may be asked for an offset
 * @param shortTiler what becomes of modes behind a tiler's last one in a composition by mode
 * @param emptyComplement what the complement of a layout without gaps below the bound is
 * @param rightInverse how far a right inverse looks for the next mode
 * @param unitStride the stride of modes of extent 1 in a compact layout
 * @param freeMode what {@code _} means where a division or product regroups modes
 */
public record Dialect(Domain domain, ShortTiler shortTiler, EmptyComplement emptyComplement,
    RightInverse rightInverse, UnitStride unitStride, FreeMode freeMode) {

  /** CuTe C++ headers; their {@code _} in a regrouping division, which does not compile, means a tile of one. */
  public static final Dialect CUTE_CPP = new Dialect(Domain.EXTENDED, ShortTiler.DROP, EmptyComplement.ZERO,
      RightInverse.MAXIMAL, UnitStride.ZERO, FreeMode.UNIT_TILE);

  /** The CuTe DSL of Python, which refuses {@code _} in a regrouping division. */
  public static final Dialect CUTE_DSL = new Dialect(Domain.EXTENDED, ShortTiler.DROP, EmptyComplement.TOP,
      RightInverse.MAXIMAL, UnitStride.ZERO, FreeMode.REFUSED);

  /** pycute of the CUTLASS repository. */
  public static final Dialect PYCUTE = new Dialect(Domain.EXTENDED, ShortTiler.KEEP, EmptyComplement.ZERO,
      RightInverse.PREFIX, UnitStride.PRODUCT, FreeMode.UNIT_TILE);

  /** The domain of a left operand. */
  public enum Domain {
    /** Indices below the size only. */
    STRICT,
    /** Every index: the last mode is unbounded. */
    EXTENDED
  }

  /** Modes behind a tiler's last one. */
  public enum ShortTiler { DROP, KEEP }

  /** A complement of extent 1. */
  public enum EmptyComplement {
    /** 1:0. */
    ZERO,
    /** 1:top, which says where a next copy of the layout would begin. */
    TOP
  }

  /** The modes that a right inverse is made of, in the order of their strides. */
  public enum RightInverse {
    /** All that continue, of equal strides the first: the longest for injective layouts without negative strides. */
    MAXIMAL,
    /** The modes before the first that does not continue, of equal strides the shortest. */
    PREFIX
  }

  /** Modes of extent 1 in a compact layout. */
  public enum UnitStride {
    ZERO,
    /** The product of the extents before it, as for any other mode. */
    PRODUCT
  }

  /** A {@code _} in a zipped, tiled or flat division or product. */
  public enum FreeMode {
    /** A tile of one element, the mode as the rest, of a product as of a division. */
    UNIT_TILE,
    REFUSED
  }

  public Dialect with(Domain other) {
    return new Dialect(other, shortTiler, emptyComplement, rightInverse, unitStride, freeMode);
  }
}
