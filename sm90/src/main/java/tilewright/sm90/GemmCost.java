package tilewright.sm90;

import tilewright.async.schedule.StreamKTiles;
import tilewright.kernels.GemmProblem;

/**
 * The expected time of a GEMM with a tile: waves of tiles, of which the last may leave SMs idle, each as long as its
 * steps along k and its epilogue; but no less than the tensors take to cross global memory. Constants are fitted to
 * times of an H200 (docs/benchmarks/gemm).
 *
 * @param p as the kernel sees it, exchanged where the tile is transposed
 */
record GemmCost(GemmTile tile, GemmProblem p) {
  /** Elements of C in the largest tile, which others are compared with. */
  static final double LARGEST = 128 * 256;

  /** Microseconds of a launch. */
  private static final double LAUNCH = 2.5;
  /** Microseconds of the largest tile's step along k. */
  private static final double LARGEST_STEP = 0.62;
  /** Microseconds of the largest tile's epilogue, with 16-bit elements. */
  private static final double LARGEST_STORE = 2.6;
  /** Microseconds in which a cluster exchanges the accumulators of the largest tile. */
  private static final double EXCHANGE = 5;
  /** Microseconds in which a CTA leaves accumulators of the largest tile in the workspace, and adds up each part. */
  private static final double LEAVE = 30;
  private static final double GATHER = 2;
  /** Microseconds between two waves. */
  private static final double WAVE = 0.2;
  /** Microseconds in which the CTAs of a cluster find each other, where nothing hides it. */
  private static final double CLUSTER = 4;
  /** Bytes per microsecond that all SMs load; most of it hides. */
  private static final double LOADED_BYTES = 1.5e8;
  /** Bytes per microsecond of global memory. */
  private static final double BYTES = 4.05e6;
  /** Bytes per microsecond that an SM moves to shared memory. */
  private static final double STAGED_BYTES = 1.1e5;
  /** How much slower memory is where all SMs idle, or all that they load lies outside. */
  private static final double IDLE = 0.2;
  /** How much slower it is for each time that the larger operand is read again, up to some. */
  private static final double AGAIN = 0.1;
  /** How much slower it is for each time that weights are read again, which L2 is asked to evict first. */
  private static final double WEIGHTS_AGAIN = 0.3;
  private static final int MOST_AGAIN = 3;
  /** Rows inside a matrix that are loaded in the time of one outside, which is zeros. */
  private static final double OUTSIDE = 4;
  /** The part of an epilogue that nothing hides where consumers alternate. */
  private static final double SEEN = 0.3;

  /** The expected time in microseconds. */
  double microseconds() {
    double copied = blocks() * steps() * (tile.m() / (double) tile.cluster().n()
        + tile.n() / (double) tile.cluster().m()) * GemmTile.DEPTH_BYTES;
    double rounds = Math.ceil(waves() / tile.resident(p));
    // Where one tile has all columns weights are read as they come, and the ring runs on.
    double between = tile.isTransposed() && p.n() <= tile.n() ? 0 : WAVE * rounds;
    return LAUNCH + between + copied / LOADED_BYTES + Math.max(work(), bytes() / BYTES * slower(rounds));
  }

  /** The tile's size, relative to the largest. */
  private double size() {
    return tile.m() * tile.n() / LARGEST;
  }

  private long blocks() {
    var cluster = tile.cluster();
    return GemmTile.groups(p, tile.m() * cluster.m(), tile.n() * cluster.n()) * cluster.blocks();
  }

  /** CTAs that run at once. */
  private int places() {
    int blocks = tile.cluster().blocks();
    return GemmTile.MULTIPROCESSORS / blocks * blocks;
  }

  /** Parts of a tile that does not fill a wave. */
  private int cuts() {
    long left = blocks() % places();
    int steps = p.k() * p.types().a().bytes() / GemmTile.DEPTH_BYTES;
    if (!tile.isStreamK() || left == 0) return 1;
    return Math.clamp(Math.min(places() / left, steps / StreamKTiles.LEAST_STEPS), 1, StreamKTiles.MOST_PARTS);
  }

  private double waves() {
    return cuts() == 1 ? Math.ceilDiv(blocks(), places()) : blocks() / places() + 1.0 / cuts();
  }

  /** Steps along k of a CTA's tile. */
  private double steps() {
    return Math.ceilDiv((long) p.k() * p.types().a().bytes(), (long) GemmTile.DEPTH_BYTES * tile.cluster().splits());
  }

  /** Microseconds of the tiles of a CTA, one after the other. */
  private double work() {
    var cluster = tile.cluster();
    double filled = filled(p.m(), tile.m()) + filled(p.n(), tile.n());
    double step = Math.max(LARGEST_STEP * size() / tile.rate(), filled * GemmTile.DEPTH_BYTES / STAGED_BYTES);
    // Half of the registers hold accumulators where a tile is larger.
    double held = size() * p.types().accumulator().bytes() / Float.BYTES;
    double store = LARGEST_STORE * size() * Math.max(1, held * held) * p.output().bytes() / Short.BYTES;
    boolean alternates = tile.isPingPong();
    return waves() * (steps() * step + (alternates ? SEEN * store : store)) + (alternates ? (1 - SEEN) * store : 0)
        + (cluster.splits() > 1 ? EXCHANGE * size() : 0) + (cuts() > 1 ? LEAVE + cuts() * GATHER : 0) * size()
        + (cluster.m() * cluster.n() > 1 && waves() == 1 ? CLUSTER : 0);
  }

  /** Bytes of the three matrices. */
  private double bytes() {
    return (((double) p.m() + p.n()) * p.k() * p.types().a().bytes()
        + (double) p.m() * p.n() * p.output().bytes()) * p.batch();
  }

  /** How much slower memory is than with all SMs busy and every operand read once. */
  private double slower(double rounds) {
    var cluster = tile.cluster();
    double inside = (p.m() / (double) Math.ceilDiv(p.m(), tile.m())
        + p.n() / (double) Math.ceilDiv(p.n(), tile.n())) / (tile.m() + tile.n());
    double used = inside * Math.min(1, blocks() * cuts() / (rounds * GemmTile.MULTIPROCESSORS));
    int passes = p.m() > p.n() ? Math.ceilDiv(p.n(), tile.n() * cluster.n())
        : Math.ceilDiv(p.m(), tile.m() * cluster.m());
    double again = tile.isTransposed() ? WEIGHTS_AGAIN : AGAIN;
    return 1 + IDLE * (1 - used) + again * Math.min(MOST_AGAIN, passes - 1);
  }

  /** Rows of a tile, as long as they take to load: those outside the matrix take longer. */
  private static double filled(int extent, int rows) {
    int tiles = Math.ceilDiv(extent, rows);
    return rows + (OUTSIDE - 1) * (rows - (double) extent / tiles);
  }
}
