package tilewright.layout;

/**
 * The choices in which implementations of the algebra differ. Each gives a result that satisfies the operation's
 * defining equation or is refused: what an implementation returns in violation of the equation no dialect returns.
 *
 * @param domain where a left operand of a composition may be asked for an offset
 * @param shortTiler what becomes of modes behind a tiler's last one in a composition by mode
 * @param complementBound the bound of a complement without one
 * @param rightInverse how far a right inverse looks for the next mode
 * @param freeMode what {@code _} means where a division or product regroups modes
 */
public record Dialect(Domain domain, ShortTiler shortTiler, ComplementBound complementBound, RightInverse rightInverse,
    FreeMode freeMode) {

  /** CuTe C++ headers; their {@code _} in a regrouping division, which does not compile, means a tile of one. */
  public static final Dialect CUTE_CPP = new Dialect(Domain.EXTENDED, ShortTiler.DROP, ComplementBound.COSIZE,
      RightInverse.MAXIMAL, FreeMode.UNIT_TILE);

  /** The CuTe DSL of Python, which refuses {@code _} in a regrouping division. */
  public static final Dialect CUTE_DSL = new Dialect(Domain.EXTENDED, ShortTiler.DROP, ComplementBound.LEAST,
      RightInverse.MAXIMAL, FreeMode.REFUSED);

  /** pycute of the CUTLASS repository. */
  public static final Dialect PYCUTE = new Dialect(Domain.EXTENDED, ShortTiler.KEEP, ComplementBound.LEAST,
      RightInverse.PREFIX, FreeMode.UNIT_TILE);

  /** The domain of a left operand. */
  public enum Domain {
    /** Indices below the size only. */
    STRICT,
    /** Every index: the last mode is unbounded. */
    EXTENDED
  }

  /** Modes behind a tiler's last one. */
  public enum ShortTiler { DROP, KEEP }

  /** The bound of a complement without one. */
  public enum ComplementBound {
    /** The filtered layout's own cosize. */
    COSIZE,
    /** 1: only the gaps between the offsets. */
    LEAST
  }

  /** Which modes a right inverse is made of, in the order of their strides. */
  public enum RightInverse {
    /** All that continue: the longest for injective layouts. */
    MAXIMAL,
    /** Those before the first that does not. */
    PREFIX
  }

  /** A {@code _} in a zipped, tiled or flat division or product. */
  public enum FreeMode {
    /** A tile of one element, the mode as the rest; of a product the mode as the tile, one copy. */
    UNIT_TILE,
    REFUSED
  }

  public Dialect with(Domain other) {
    return new Dialect(other, shortTiler, complementBound, rightInverse, freeMode);
  }
}
