package tilewright.simulator.tmem;

/**
 * How the accumulators of one {@code tcgen05.mma} lie in Tensor Memory (PTX ISA, Data Path Layout Organization). Rows
 * of D that belong to one CTA are numbered from 0 in each.
 */
public enum DataPath {
  /** M = 256 in two CTAs: a row per lane. */
  A(128, 1),
  /** M = 128 in two CTAs, dense: 64 rows, the second half of the columns in the upper lanes. */
  B(64, 2),
  /** M = 128 in two CTAs, sparse: 64 rows, 16 in each warp's lanes. */
  C(64, 1),
  /** M = 128: a row per lane. */
  D(128, 1),
  /** M = 64, weight stationary: the second half of the columns in the upper lanes. */
  E(64, 2),
  /** M = 64: 16 rows in each warp's lanes. */
  F(64, 1),
  /** M = 32, weight stationary: a quarter of the columns in each warp's lanes. */
  G(32, 4);

  private static final int HALF = 16;

  private final int rows;
  private final int folds;

  DataPath(int rows, int folds) {
    this.rows = rows;
    this.folds = folds;
  }

  /** The organization of a multiplication; the shape must be one that exists. */
  public static DataPath of(int m, int ctas, boolean weightStationary, boolean sparse) {
    if (ctas == 2) {
      return m == 256 ? A : sparse ? C : B;
    }
    return switch (m) {
      case 128 -> D;
      case 64 -> weightStationary ? E : F;
      case 32 -> G;
      default -> throw new IllegalArgumentException("no data path has M = " + m + " in one CTA: use 32, 64 or 128");
    };
  }

  /** Rows of D in one CTA. */
  public int rows() {
    return rows;
  }

  /** Parts that the columns of D are cut into, which lie in different lanes. */
  public int folds() {
    return folds;
  }

  /** Whether only 16 of each warp's 32 lanes are used, so that the lane of the address may be 16 too. */
  public boolean half() {
    return this == C || this == F;
  }

  /** The lane, from that of the address, of a row in one part of the columns. */
  public int lane(int row, int fold) {
    return half() ? row % HALF + TmemAddress.WARP_LANES * (row / HALF) : row + rows * fold;
  }

  /** The part of the columns that column {@code n} of {@code columns} is in. */
  public int fold(int n, int columns) {
    return n / (columns / folds);
  }

  /** The column of Tensor Memory, from that of the address. */
  public int column(int n, int columns) {
    return n % (columns / folds);
  }

  /** Lanes of the address that the organization allows. */
  public boolean aligned(int lane) {
    return lane == 0 || half() && lane == HALF;
  }
}
