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
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.collective.BlockScales;
import tilewright.sm90.collective.OutputForm;

/**
 * A tile of C and how it is computed.
 *
 * @param rate multiplications in a unit of time, relative to the largest tile
 */
record GemmTile(int m, int n, int consumers, ClusterShape cluster, Variant variant, double rate) {
  static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** Bytes of k in a stage: a swizzled row. */
  static final int DEPTH_BYTES = 128;
  private static final int SHARED_BYTES = 227 << 10;
  /** Bytes of shared memory that the system reserves in each CTA. */
  private static final int RESERVED_BYTES = 1 << 10;
  private static final int BARRIER_BYTES = 512;
  private static final int STORED_ROW_BYTES = 128;
  private static final int MOST_STAGES = 20;
  /** Elements of 16 bits. */
  private static final int WIDEST_ROW = 64;
  /** Weights that a CTA multiplies at a time, where few rows of A are all there is: so many, or half of them. */
  private static final int MOST_AHEAD_ROWS = 128;
  /** The narrowest box of a few columns; with more columns, loading in narrow boxes takes longer than multiplying. */
  private static final int NARROWEST_ROW = 16;
  private static final int NARROW_ROW = 32;
  private static final int BAND_ROWS = 2048;
  /** Bytes along k that split CTAs are done with before the next kernel's have found their way: two then share. */
  private static final int SHORT_BYTES = 8192 * Short.BYTES;
  /** Columns for which half of the shared memory holds a deep ring. */
  private static final int FEW_COLUMNS = 16;
  /** The most columns for which a ring holds enough stages of two swizzled rows. */
  private static final int MOST_DEEP_COLUMNS = 64;
  /** The most columns for which two CTAs have registers enough for their accumulators. */
  private static final int MOST_RESIDENT_COLUMNS = 192;

  private static final Variant PING_PONG = Variant.PLAIN.with(Variant.Consumers.PING_PONG);
  private static final Variant TRANSPOSED = Variant.PLAIN.with(Variant.Orientation.TRANSPOSED);
  private static final Variant STREAM_K = Variant.PLAIN.with(Variant.Order.STREAM_K);

  /** The tiles that any type has. */
  private static final List<GemmTile> COMMON = Stream.of(new GemmTile(128, 256, 2, 1), new GemmTile(256, 128, 2, 0.97),
      new GemmTile(128, 128, 2, 0.94)).flatMap(tile -> Stream.of(tile.clustered(2, 1), tile)).toList();

  /** Further tiles for floats of one type that the tensor core accumulates by itself. */
  private static final List<GemmTile> OTHERS = Stream.concat(
      Stream.of(new GemmTile(256, 192, 2, 1.04), new GemmTile(128, 224, 2, 0.98),
          new GemmTile(128, 192, 2, 0.95), new GemmTile(128, 112, 2, 0.9), new GemmTile(128, 96, 2, 0.86),
          new GemmTile(128, 64, 2, 0.82), new GemmTile(128, 64, 2, 0.82).clustered(1, 2),
          new GemmTile(128, 176, 2, 1.02).as(PING_PONG),
          new GemmTile(128, 128, 2, 0.925).as(PING_PONG),
          new GemmTile(128, 128, 2, 0.925).as(PING_PONG).clustered(2, 1),
          new GemmTile(128, 192, 2, 0.86).as(STREAM_K), new GemmTile(128, 128, 2, 0.85).as(STREAM_K)),
      IntStream.concat(IntStream.of(8), IntStream.rangeClosed(1, 14).map(i -> 16 * i)).boxed()
          .flatMap(GemmTile::ofFewRows)).toList();

  /** Tiles for rows of A that become so many columns. */
  private static Stream<GemmTile> ofFewRows(int n) {
    var alone = new GemmTile(64, n, 1, 0.8).as(TRANSPOSED);
    var wide = new GemmTile(128, n, 2, n < 96 ? 0.8 : 0.9).as(TRANSPOSED);
    // Split in 8 columns, 1×4096×4096 took 11.9 µs, where it takes 9.9 in 16.
    return n < 16 ? Stream.of(alone, wide) : Stream.of(alone, alone.clustered(1, 2), wide);
  }

  /** Further tiles of 8 bits, where L2 holds both operands: CTAs side by side load A's tiles for each other. */
  private static final List<GemmTile> BYTES_IN_L2 =
      List.of(new GemmTile(128, 256, 2, new ClusterShape(1, 2, 1), Variant.PLAIN, 1.04));
  private static final long L2_BYTES = 40 << 20;

  /** Further tiles of which a thread holds two pieces beside all accumulators: one is multiplied while one is added. */
  private static final List<GemmTile> PROMOTED = List.of(new GemmTile(128, 192, 2, 1.02).clustered(2, 1));

  /** Further tiles of accumulators of f16, whose registers hold twice as many. */
  private static final List<GemmTile> HALF_SUMS = List.of(new GemmTile(256, 256, 2, 1.06),
      new GemmTile(256, 256, 2, 1.06).clustered(2, 1), new GemmTile(128, 256, 2, 1).as(PING_PONG));

  /** All tiles. */
  static final List<GemmTile> ALL = Stream.of(COMMON, OTHERS, BYTES_IN_L2, PROMOTED, HALF_SUMS).flatMap(List::stream)
      .toList();

  private GemmTile(int m, int n, int consumers, double rate) {
    this(m, n, consumers, new ClusterShape(1, 1, 1), Variant.PLAIN, rate);
  }

  private GemmTile clustered(int rows, int splits) {
    return new GemmTile(m, n, consumers, new ClusterShape(rows, 1, splits), variant, rate);
  }

  private GemmTile as(Variant other) {
    return new GemmTile(m, n, consumers, cluster, other, rate);
  }

  /** The name, such as {@code 128x256x2}: rows, columns, and CTAs that share B's tiles. */
  String name() {
    return m + "x" + n + "x" + cluster.m() + (cluster.n() > 1 ? "-beside" + cluster.n() : "")
        + (cluster.splits() > 1 ? "-split" + cluster.splits() : "")
        + (isPingPong() ? "-in-turn" : isTransposed() ? "-transposed" : isStreamK() ? "-shared-tail" : "");
  }

  boolean isPingPong() {
    return variant.consumers() == Variant.Consumers.PING_PONG;
  }

  boolean isTransposed() {
    return variant.orientation() == Variant.Orientation.TRANSPOSED;
  }

  boolean isStreamK() {
    return variant.order() == Variant.Order.STREAM_K;
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
    boolean halfSums = problem.types().accumulation() == Accumulation.F16;
    if (HALF_SUMS.contains(this) && !halfSums) return false;
    if (halfSums && (isStreamK() || cluster.splits() > 1)) return false;
    if (isStreamK() && problem.k() == 0) return false;
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
    int least = isTransposed() ? Math.clamp(rows, NARROWEST_ROW, NARROW_ROW) : WIDEST_ROW;
    return matrix.isRowMajor() || width >= least && rows / parts % width == 0;
  }

  /** Few columns are copied in steps of two swizzled rows where the ring has a whole SM. */
  Sm90GemmConfig configure(GemmProblem problem) {
    int resident = resident(seen(problem));
    boolean deep = isTransposed() && consumers == 1 && resident == 1 && n <= MOST_DEEP_COLUMNS;
    return configure(seen(problem), resident, deep ? 2 * DEPTH_BYTES : DEPTH_BYTES);
  }

  /**
   * Configures a problem of few rows whose weights are loaded ahead. The ring fills the SM, to hold the more weights,
   * in steps of two swizzled rows. Clusters split k while there is room for them; otherwise the tile is the one that
   * leaves a CTA the fewest rows of weights, and of these the larger. A CTA that has all of a long k waits after all:
   * 16 rows of 7168×16384 took 59.7 µs ahead and 56.0 without.
   */
  static Optional<Sm90GemmConfig> weightsAhead(GemmProblem problem) {
    return ALL.stream()
        .filter(t -> t.isTransposed() && t.m <= MOST_AHEAD_ROWS && t.n <= MOST_DEEP_COLUMNS)
        .filter(_ -> problem.types().a().bits() == Short.SIZE)
        .filter(t -> t.n >= problem.m() && t.takes(problem) && problem.a().isRowMajor() && problem.b().isRowMajor())
        .filter(t -> t.cluster.splits() == 1
            || groups(t.seen(problem), t.m, t.n) * t.cluster.splits() <= MULTIPROCESSORS)
        .min(Comparator.comparingInt((GemmTile t) -> -t.cluster.splits())
            .thenComparingLong(t -> Math.ceilDiv(groups(t.seen(problem), t.m, t.n), MULTIPROCESSORS) * t.m)
            .thenComparingInt(t -> -t.m).thenComparingInt(GemmTile::n))
        .map(t -> t.cluster.splits() == 1 && problem.k() * problem.types().a().bytes() > SHORT_BYTES
            ? t.configure(problem)
            : t.configure(t.seen(problem), 1, 2 * DEPTH_BYTES).with(Loading.WEIGHTS_AHEAD));
  }

  private Sm90GemmConfig configure(GemmProblem p, int resident, int depthBytes) {
    boolean blocks = p.types().isPromoted() && p.types().accumulation() == Accumulation.SCALED;
    int stage = (m + n) * depthBytes + (blocks ? BlockScales.bytes(m, n) : 0);
    int stored = Math.min(STORED_ROW_BYTES, n * p.output().bytes()) * 64 * consumers * OutputForm.STAGES;
    int exchanged = (cluster.splits() - 1) * m * n * Float.BYTES;
    int shared = (SHARED_BYTES + RESERVED_BYTES) / resident - RESERVED_BYTES;
    int stages = Math.min(MOST_STAGES, (shared - BARRIER_BYTES - stored - exchanged) / stage);
    boolean plain = variant.equals(Variant.PLAIN) && cluster.splits() == 1;
    return new Sm90GemmConfig(Operands.of(p), new TileShape(m, n, depthBytes / p.types().a().bytes()), consumers,
        stages, cluster, BAND_ROWS / (m * cluster.m()), resident,
        plain && outgrowsL2(p) ? variant.with(Variant.Order.WAVE_SYNCHRONISED) : variant);
  }

  /** Whether CTAs have several tiles each, and L2 does not hold all of k of what they copy for one wave. */
  private boolean outgrowsL2(GemmProblem p) {
    // Wider elements gained nothing but in the very largest tiles.
    if (p.types().a().bits() > Byte.SIZE && m * n <= GemmCost.LARGEST) return false;
    // Products with scales were 1 % slower in step.
    if (p.types().accumulation() == Accumulation.SCALED) return false;
    long rows = Math.min(p.m(), BAND_ROWS);
    long columns = Math.min(p.n(), MULTIPROCESSORS * (long) m * n / BAND_ROWS);
    return (rows + columns) * p.k() * p.types().a().bytes() > L2_BYTES && groups(p, m, n) >= 2L * MULTIPROCESSORS;
  }

  /**
   * CTAs on an SM: two where all then run at once, so that the next kernel's find room early and their
   * prologues are hidden. Half of the shared memory is enough for few columns, and where k is not long; where k is
   * split both have to be so, and for many columns there have to be more tiles than SMs.
   */
  int resident(GemmProblem p) {
    if (!isTransposed() || consumers > 1 || n > MOST_RESIDENT_COLUMNS) return 1;
    long tiles = groups(p, m, n);
    // Of 192 CTAs that split k, some would have an SM alone and finish early.
    if (tiles * cluster.splits() > (cluster.splits() == 1 ? 2 : 1) * MULTIPROCESSORS) return 1;
    if (n > MOST_DEEP_COLUMNS && tiles <= MULTIPROCESSORS) return 1;
    boolean few = n <= FEW_COLUMNS;
    // Split in two, FP32 matrices of 16×4096×4096 took 20.0 µs with two and 18.2 with one.
    boolean isShort = p.k() * p.types().a().bytes() * cluster.splits() <= SHORT_BYTES;
    return (cluster.splits() == 1 ? few || isShort : few && isShort) ? 2 : 1;
  }

  private GemmProblem seen(GemmProblem problem) {
    return isTransposed() ? problem.transposed() : problem;
  }

  /** Expected microseconds. */
  double cost(GemmProblem problem) {
    return new GemmCost(this, seen(problem)).microseconds();
  }

  /** How often the tiles of one cluster, so many rows and columns together, cover C. */
  static long groups(GemmProblem problem, int rows, int columns) {
    return (long) Math.ceilDiv(problem.m(), rows) * Math.ceilDiv(problem.n(), columns) * problem.batch();
  }

  /** The clusters of a launch: as many as there is room for, if there is work for them, and one at least. */
  static int clusters(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    long work = groups(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n())
        * (config.streamK() ? Math.ceilDiv(problem.k(), config.tileK()) : 1);
    return Math.clamp(work, 1, MULTIPROCESSORS * config.resident() / cluster.blocks());
  }
}
