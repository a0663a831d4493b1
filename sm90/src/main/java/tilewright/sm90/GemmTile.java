package tilewright.sm90;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.Chip;
import tilewright.kernel.Matrix;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.collective.BlockScales;
import tilewright.sm90.collective.OutputForm;
import tilewright.sm90.collective.SharedTail;

/**
 * A tile of C and how it is computed, with what that is expected to cost.
 *
 * @param rate multiplications in a unit of time, relative to the largest tile
 */
record GemmTile(int m, int n, int consumers, ClusterShape cluster, Schedule schedule, double rate) {
  static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** Bytes of k in a stage: a swizzled row. */
  static final int DEPTH_BYTES = 128;
  private static final int SHARED_BYTES = 227 << 10;
  /** What the system takes of each CTA's. */
  private static final int RESERVED_BYTES = 1 << 10;
  private static final int BARRIER_BYTES = 512;
  private static final int STORED_ROW_BYTES = 128;
  private static final int MOST_STAGES = 20;
  /** Elements of 16 bits. */
  private static final int WIDEST_ROW = 64;
  /** Weights that a CTA multiplies at a time, where few rows of A are all there is: so many, or half of them. */
  private static final int MOST_AHEAD_ROWS = 128;
  /** Of a few columns; of more, copying in narrow boxes takes longer than multiplying. */
  private static final int NARROWEST_ROW = 16;
  private static final int NARROW_ROW = 32;
  private static final int BAND_ROWS = 2048;
  /** Bytes along k that split CTAs are done with before the next kernel's have found their way: two then share. */
  private static final int SHORT_BYTES = 8192 * Short.BYTES;
  /** So few that half of the shared memory holds a deep ring. */
  private static final int FEW_COLUMNS = 16;
  /** Of more, a ring holds too few stages of two swizzled rows. */
  private static final int MOST_DEEP_COLUMNS = 64;
  /** Of more, a thread's sums need more registers than there are for two CTAs. */
  private static final int MOST_RESIDENT_COLUMNS = 192;

  // What an H200 took, in microseconds.
  private static final double LAUNCH = 2.5;
  private static final double LARGEST_STEP = 0.62;
  /** Of 16 bits. */
  private static final double LARGEST_STORE = 2.6;
  private static final double EXCHANGE = 5;
  /** To leave a part for another CTA, and to add up each. */
  private static final double LEAVE = 30;
  private static final double GATHER = 2;
  private static final double WAVE = 0.2;
  /** Bytes that all multiprocessors copy, a microsecond; most of it hides. */
  private static final double COPIED_BYTES = 1.5e8;
  /** How much slower memory is where all multiprocessors idle, or all that they copy lies outside. */
  private static final double IDLE = 0.2;
  /** How much slower it is for each time that the larger operand is read again, up to some. */
  private static final double AGAIN = 0.1;
  /** The same of weights, which L2 is asked to give up first. */
  private static final double WEIGHTS_AGAIN = 0.3;
  private static final int MOST_AGAIN = 3;
  private static final double CLUSTER = 4;
  private static final double BYTES = 4.05e6;
  private static final double STAGED_BYTES = 1.1e5;
  /** Rows inside a matrix that are copied in the time of one outside, which is zeros. */
  private static final double OUTSIDE = 4;
  /** The part of a tile's way out that nothing hides where consumers take turns. */
  private static final double SEEN = 0.3;
  private static final double LARGEST = 128 * 256;

  /** How consumers share tiles. */
  enum Schedule {
    /** Each has rows of the same tile. */
    TOGETHER,
    /** Each has tiles of its own: one stores while another multiplies. */
    IN_TURN,
    /** As the first, for Cᵀ = B·Aᵀ: few rows of A become few columns. */
    TRANSPOSED,
    /** As the first, and tiles that do not fill a wave are cut along k, so that more CTAs have a part. */
    SHARED_TAIL
  }

  /** The tiles that any type has. */
  private static final List<GemmTile> COMMON = Stream.of(new GemmTile(128, 256, 2, 1), new GemmTile(256, 128, 2, 0.97),
      new GemmTile(128, 128, 2, 0.94)).flatMap(tile -> Stream.of(tile.clustered(2, 1), tile)).toList();

  /** Those besides for floats of one type that the tensor core adds up by itself. */
  private static final List<GemmTile> OTHERS = Stream.concat(
      Stream.of(new GemmTile(256, 192, 2, 1.04), new GemmTile(128, 224, 2, 0.98),
          new GemmTile(128, 192, 2, 0.95), new GemmTile(128, 112, 2, 0.9), new GemmTile(128, 96, 2, 0.86),
          new GemmTile(128, 64, 2, 0.82), new GemmTile(128, 64, 2, 0.82).clustered(1, 2),
          new GemmTile(128, 176, 2, 1.02).inTurn(),
          new GemmTile(128, 128, 2, 0.925).inTurn(), new GemmTile(128, 128, 2, 0.925).inTurn().clustered(2, 1),
          new GemmTile(128, 192, 2, 0.86).sharedTail(), new GemmTile(128, 128, 2, 0.85).sharedTail()),
      IntStream.concat(IntStream.of(8), IntStream.rangeClosed(1, 14).map(i -> 16 * i)).boxed()
          .flatMap(GemmTile::ofFewRows)).toList();

  /** For rows of A that become so many columns. */
  private static Stream<GemmTile> ofFewRows(int n) {
    var alone = new GemmTile(64, n, 1, 0.8).transposed();
    var wide = new GemmTile(128, n, 2, n < 96 ? 0.8 : 0.9).transposed();
    // Split in 8 columns, 1×4096×4096 took 11.9 µs, where it takes 9.9 in 16.
    return n < 16 ? Stream.of(alone, wide) : Stream.of(alone, alone.clustered(1, 2), wide);
  }

  /** Those of 8 bits besides, where L2 holds both operands: CTAs side by side copy A's tiles for each other. */
  private static final List<GemmTile> BYTES_IN_L2 =
      List.of(new GemmTile(128, 256, 2, new ClusterShape(1, 2, 1), Schedule.TOGETHER, 1.04));
  private static final long L2_BYTES = 40 << 20;

  /** Those besides of which a thread holds two pieces beside all sums, so that one is multiplied while one is added. */
  private static final List<GemmTile> PROMOTED = List.of(new GemmTile(128, 192, 2, 1.02).clustered(2, 1));

  /** All tiles. */
  static final List<GemmTile> ALL = Stream.of(COMMON, OTHERS, BYTES_IN_L2, PROMOTED).flatMap(List::stream).toList();

  private GemmTile(int m, int n, int consumers, double rate) {
    this(m, n, consumers, new ClusterShape(1, 1, 1), Schedule.TOGETHER, rate);
  }

  private GemmTile clustered(int rows, int splits) {
    return new GemmTile(m, n, consumers, new ClusterShape(rows, 1, splits), schedule, rate);
  }

  private GemmTile inTurn() {
    return new GemmTile(m, n, consumers, cluster, Schedule.IN_TURN, rate);
  }

  private GemmTile transposed() {
    return new GemmTile(m, n, consumers, cluster, Schedule.TRANSPOSED, rate);
  }

  private GemmTile sharedTail() {
    return new GemmTile(m, n, consumers, cluster, Schedule.SHARED_TAIL, rate);
  }

  /** Such as {@code 128x256x2}: rows, columns, and CTAs that share B's tiles. */
  String name() {
    return m + "x" + n + "x" + cluster.m() + (cluster.n() > 1 ? "-beside" + cluster.n() : "")
        + (cluster.splits() > 1 ? "-split" + cluster.splits() : "")
        + switch (schedule) {
          case TOGETHER -> "";
          case IN_TURN -> "-in-turn";
          case TRANSPOSED -> "-transposed";
          case SHARED_TAIL -> "-shared-tail";
        };
  }

  /** Whether the problem can be computed so. */
  boolean takes(GemmProblem problem) {
    if (COMMON.contains(this)) return true;
    if (BYTES_IN_L2.contains(this)) {
      return problem.types().a().bits() == 8 && ((long) problem.m() + problem.n()) * problem.k() <= L2_BYTES;
    }
    if (PROMOTED.contains(this)) {
      return problem.types().accumulation() == Accumulation.EXACT && problem.types().isPromoted();
    }
    if (schedule == Schedule.SHARED_TAIL && problem.k() == 0) return false;
    var p = seen(problem);
    var types = p.types();
    if (types.a() != types.b() || types.isPromoted() || types.output() == ElementType.I32) return false;
    // Only 16 bits may lie across k.
    boolean along = p.operand().bits() == Short.SIZE || p.a().isRowMajor() && p.b().isRowMajor();
    return along && isCopied(p.a(), m, cluster.n()) && isCopied(p.b(), n, cluster.m());
  }

  /** Whether CTAs can each copy an equal part of a tile: across k, parts are of whole swizzled rows. */
  private boolean isCopied(Matrix matrix, int rows, int parts) {
    int width = Math.min(WIDEST_ROW, Integer.lowestOneBit(rows));
    int least = schedule == Schedule.TRANSPOSED ? Math.clamp(rows, NARROWEST_ROW, NARROW_ROW) : WIDEST_ROW;
    return matrix.isRowMajor() || width >= least && rows / parts % width == 0;
  }

  /** Few columns are copied in steps of two swizzled rows where the ring has a whole multiprocessor. */
  Sm90GemmConfig configure(GemmProblem problem) {
    int resident = resident(seen(problem));
    boolean deep = schedule == Schedule.TRANSPOSED && consumers == 1 && resident == 1 && n <= MOST_DEEP_COLUMNS;
    return configure(seen(problem), resident, deep ? 2 * DEPTH_BYTES : DEPTH_BYTES);
  }

  /**
   * Where the few rows' weights are copied ahead: the ring fills the multiprocessor, to hold the more of them, in steps
   * of two swizzled rows. Clusters split k while there is room for them; else the tile is the one that leaves a CTA the
   * fewest rows of weights, and of these the larger. A CTA that has all of a long k waits, as without the promise: 16
   * rows of 7168×16384 took 59.7 µs ahead, and 56.0 so.
   */
  static Optional<Sm90GemmConfig> weightsAhead(GemmProblem problem) {
    return ALL.stream()
        .filter(t -> t.schedule == Schedule.TRANSPOSED && t.m <= MOST_AHEAD_ROWS && t.n <= MOST_DEEP_COLUMNS)
        .filter(_ -> problem.types().a().bits() == Short.SIZE)
        .filter(t -> t.n >= problem.m() && t.takes(problem) && problem.a().isRowMajor() && problem.b().isRowMajor())
        .filter(t -> t.cluster.splits() == 1
            || groups(t.seen(problem), t.m, t.n) * t.cluster.splits() <= MULTIPROCESSORS)
        .min(Comparator.comparingInt((GemmTile t) -> -t.cluster.splits())
            .thenComparingLong(t -> Math.ceilDiv(groups(t.seen(problem), t.m, t.n), MULTIPROCESSORS) * t.m)
            .thenComparingInt(t -> -t.m).thenComparingInt(GemmTile::n))
        .map(t -> t.cluster.splits() == 1 && problem.k() * problem.types().a().bytes() > SHORT_BYTES
            ? t.configure(problem)
            : t.configure(t.seen(problem), 1, 2 * DEPTH_BYTES).withWeightsAhead());
  }

  private Sm90GemmConfig configure(GemmProblem p, int resident, int depthBytes) {
    boolean blocks = p.types().isPromoted() && p.types().accumulation() == Accumulation.SCALED;
    int stage = (m + n) * depthBytes + (blocks ? BlockScales.bytes(m, n) : 0);
    int stored = Math.min(STORED_ROW_BYTES, n * p.output().bytes()) * 64 * consumers * OutputForm.STAGES;
    int exchanged = (cluster.splits() - 1) * m * n * Float.BYTES;
    int shared = (SHARED_BYTES + RESERVED_BYTES) / resident - RESERVED_BYTES;
    int stages = Math.min(MOST_STAGES, (shared - BARRIER_BYTES - stored - exchanged) / stage);
    var config = new Sm90GemmConfig(p.types(), p.a().isRowMajor(), p.b().isRowMajor(), m, n,
        depthBytes / p.types().a().bytes(), consumers, stages, cluster, BAND_ROWS / (m * cluster.m()), resident,
        schedule == Schedule.IN_TURN, schedule == Schedule.TRANSPOSED);
    if (schedule == Schedule.SHARED_TAIL) return config.withSharedTail();
    return schedule == Schedule.TOGETHER && cluster.splits() == 1 && outgrowsL2(p) ? config.withPace() : config;
  }

  /** Whether CTAs have several tiles each, and L2 does not hold all of k of what they copy for one wave. */
  private boolean outgrowsL2(GemmProblem p) {
    // Wider elements gained nothing but in the very largest tiles.
    if (p.types().a().bits() > Byte.SIZE && m * n <= LARGEST) return false;
    // Products with scales were 1 % slower in step.
    if (p.types().accumulation() == Accumulation.SCALED) return false;
    long rows = Math.min(p.m(), BAND_ROWS);
    long columns = Math.min(p.n(), MULTIPROCESSORS * (long) m * n / BAND_ROWS);
    return (rows + columns) * p.k() * p.types().a().bytes() > L2_BYTES && groups(p, m, n) >= 2L * MULTIPROCESSORS;
  }

  /**
   * CTAs on a multiprocessor: two where all then run at once, so that the next kernel's find room early and their
   * prologues are hidden. Half of the shared memory is enough for few columns, and where k is not long; where k is
   * split both have to be so, and for many columns there have to be more tiles than multiprocessors.
   */
  private int resident(GemmProblem p) {
    if (schedule != Schedule.TRANSPOSED || consumers > 1 || n > MOST_RESIDENT_COLUMNS) return 1;
    long tiles = groups(p, m, n);
    // Of 192 CTAs that split k, some would have a multiprocessor alone and finish early.
    if (tiles * cluster.splits() > (cluster.splits() == 1 ? 2 : 1) * MULTIPROCESSORS) return 1;
    if (n > MOST_DEEP_COLUMNS && tiles <= MULTIPROCESSORS) return 1;
    boolean few = n <= FEW_COLUMNS;
    // Split in two, singles of 16×4096×4096 took 20.0 µs with two and 18.2 with one.
    boolean isShort = p.k() * p.types().a().bytes() * cluster.splits() <= SHORT_BYTES;
    return (cluster.splits() == 1 ? few || isShort : few && isShort) ? 2 : 1;
  }

  private GemmProblem seen(GemmProblem problem) {
    return schedule == Schedule.TRANSPOSED ? problem.transposed() : problem;
  }

  /**
   * Expected microseconds: waves of tiles, of which the last may leave multiprocessors idle, each as long as its steps
   * along k and its way out; but no less than the tensors take to cross global memory.
   */
  double cost(GemmProblem problem) {
    var p = seen(problem);
    double size = m * n / LARGEST;
    long blocks = groups(p, m * cluster.m(), n * cluster.n()) * cluster.blocks();
    int places = MULTIPROCESSORS / cluster.blocks() * cluster.blocks();
    int cuts = cuts(blocks, places, p.k() * p.types().a().bytes() / DEPTH_BYTES);
    double waves = cuts == 1 ? Math.ceilDiv(blocks, places) : blocks / places + 1.0 / cuts;
    double steps = Math.ceilDiv((long) p.k() * p.types().a().bytes(), (long) DEPTH_BYTES * cluster.splits());
    double filled = filled(p.m(), m) + filled(p.n(), n);
    double step = Math.max(LARGEST_STEP * size / rate, filled * DEPTH_BYTES / STAGED_BYTES);
    // Half of the registers hold sums where a tile is larger.
    double store = LARGEST_STORE * size * Math.max(1, size * size) * p.output().bytes() / Short.BYTES;
    boolean inTurn = schedule == Schedule.IN_TURN;
    double work = waves * (steps * step + (inTurn ? SEEN * store : store)) + (inTurn ? (1 - SEEN) * store : 0)
        + (cluster.splits() > 1 ? EXCHANGE * size : 0) + (cuts > 1 ? LEAVE + cuts * GATHER : 0) * size
        + (cluster.m() * cluster.n() > 1 && waves == 1 ? CLUSTER : 0);
    double bytes = (((double) p.m() + p.n()) * p.k() * p.types().a().bytes()
        + (double) p.m() * p.n() * p.output().bytes()) * p.batch();
    double copied = blocks * steps * (m / (double) cluster.n() + n / (double) cluster.m()) * DEPTH_BYTES;
    double inside = (p.m() / (double) Math.ceilDiv(p.m(), m) + p.n() / (double) Math.ceilDiv(p.n(), n)) / (m + n);
    double rounds = Math.ceil(waves / resident(p));
    double used = inside * Math.min(1, blocks * cuts / (rounds * MULTIPROCESSORS));
    int passes = p.m() > p.n() ? Math.ceilDiv(p.n(), n * cluster.n()) : Math.ceilDiv(p.m(), m * cluster.m());
    double again = schedule == Schedule.TRANSPOSED ? WEIGHTS_AGAIN : AGAIN;
    double slower = 1 + IDLE * (1 - used) + again * Math.min(MOST_AGAIN, passes - 1);
    // Where one tile has all columns weights are read as they come, and the ring runs on.
    double between = schedule == Schedule.TRANSPOSED && p.n() <= n ? 0 : WAVE * rounds;
    return LAUNCH + between + copied / COPIED_BYTES + Math.max(work, bytes / BYTES * slower);
  }

  /** Rows of a tile, as long as they take to copy: those outside the matrix longer. */
  private static double filled(int extent, int rows) {
    int tiles = Math.ceilDiv(extent, rows);
    return rows + (OUTSIDE - 1) * (rows - (double) extent / tiles);
  }

  /** Parts of a tile that does not fill a wave. */
  private int cuts(long blocks, int places, int steps) {
    long left = blocks % places;
    if (schedule != Schedule.SHARED_TAIL || left == 0) return 1;
    return Math.clamp(Math.min(places / left, steps / SharedTail.LEAST_STEPS), 1, SharedTail.MOST_PARTS);
  }

  /** How often the tiles of one cluster, so many rows and columns together, cover C. */
  static long groups(GemmProblem problem, int rows, int columns) {
    return (long) Math.ceilDiv(problem.m(), rows) * Math.ceilDiv(problem.n(), columns) * problem.batch();
  }

  /** The clusters of a launch: as many as there is room for, if there is work for them, and one at least. */
  static int clusters(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    long work = groups(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n())
        * (config.sharedTail() ? Math.ceilDiv(problem.k(), config.tileK()) : 1);
    return Math.clamp(work, 1, MULTIPROCESSORS * config.resident() / cluster.blocks());
  }
}
