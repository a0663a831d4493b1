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
import tilewright.kernels.GemmTypes;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.collective.BlockScales;
import tilewright.sm90.collective.OutputForm;

/** A tile of C and how it is computed. */
record GemmTile(int m, int n, int consumers, ClusterShape cluster, Variant variant) {
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

  /** Columns from which it pays that CTAs load for each other, or share tiles in parts. */
  private static final int LEAST_SHARED = 64;
  private static final int LEAST_CUT = 96;
  /** Columns in which parts of k spill registers. */
  private static final int SPILLING = 208;

  private static final Variant PING_PONG = Variant.PLAIN.with(Variant.Consumers.PING_PONG);
  private static final Variant TRANSPOSED = Variant.PLAIN.with(Variant.Orientation.TRANSPOSED);
  private static final Variant STREAM_K = Variant.PLAIN.with(Variant.Order.STREAM_K);

  /** The tiles that any type has. */
  private static final List<GemmTile> COMMON = Stream.of(new GemmTile(128, 256, 2), new GemmTile(256, 128, 2),
      new GemmTile(128, 128, 2)).flatMap(tile -> Stream.of(tile.clustered(2, 1), tile)).toList();

  /** Further tiles for floats of one type that the tensor core accumulates by itself. */
  private static final List<GemmTile> OTHERS = Stream.of(
      Stream.of(new GemmTile(256, 192, 2), new GemmTile(128, 112, 2), new GemmTile(128, 96, 2),
          new GemmTile(128, 64, 2), new GemmTile(128, 64, 2).clustered(1, 2), new GemmTile(128, 176, 2).as(PING_PONG),
          new GemmTile(128, 128, 2).as(PING_PONG)),
      Stream.of(new GemmTile(128, 224, 2), new GemmTile(128, 192, 2))
          .flatMap(tile -> Stream.of(tile, tile.clustered(2, 1))),
      // Where rows begin inside cache lines, L2 has half to do for CTAs that load for each other.
      Stream.of(new GemmTile(256, 192, 2).beside(), new GemmTile(256, 128, 2).beside()),
      IntStream.of(128, 192, 224, 256).mapToObj(n -> new GemmTile(128, n, 2).as(STREAM_K)),
      IntStream.concat(IntStream.of(8), IntStream.rangeClosed(1, 14).map(i -> 16 * i)).boxed()
          .flatMap(GemmTile::ofFewRows)).flatMap(tiles -> tiles).toList();

  /** Tiles for rows of A that become so many columns. */
  private static Stream<GemmTile> ofFewRows(int n) {
    var alone = new GemmTile(64, n, 1).as(TRANSPOSED);
    var wide = new GemmTile(128, n, 2).as(TRANSPOSED);
    // Split in 8 columns, 1×4096×4096 took 11.9 µs, where it takes 9.9 in 16.
    var tiles = Stream.of(alone, wide, alone.clustered(1, 2)).filter(tile -> n >= 16 || tile.cluster.splits() == 1);
    if (n < LEAST_SHARED) return tiles;
    var shared = Stream.of(wide.clustered(2, 1), wide.as(TRANSPOSED.with(STREAM_K.order())))
        .filter(tile -> !tile.isStreamK() || n >= LEAST_CUT && n != SPILLING);
    return Stream.concat(tiles, shared);
  }

  /** Further tiles of 8 bits, where L2 holds both operands: CTAs side by side load A's tiles for each other. */
  private static final List<GemmTile> BYTES_IN_L2 =
      List.of(new GemmTile(128, 256, 2).beside());
  private static final long L2_BYTES = 40 << 20;

  /** Further tiles of which a thread holds two pieces beside all accumulators: one is multiplied while one is added. */
  private static final List<GemmTile> PROMOTED = List.of(new GemmTile(128, 192, 2).clustered(2, 1));

  /** Further tiles of accumulators of f16, whose registers hold twice as many. */
  private static final List<GemmTile> HALF_SUMS = List.of(new GemmTile(256, 256, 2),
      new GemmTile(256, 256, 2).clustered(2, 1), new GemmTile(128, 256, 2).as(PING_PONG));

  /** All tiles. */
  static final List<GemmTile> ALL = Stream.of(COMMON, OTHERS, BYTES_IN_L2, PROMOTED, HALF_SUMS).flatMap(List::stream)
      .distinct().toList();

  private GemmTile(int m, int n, int consumers) {
    this(m, n, consumers, new ClusterShape(1, 1, 1), Variant.PLAIN);
  }

  private GemmTile clustered(int rows, int splits) {
    return new GemmTile(m, n, consumers, new ClusterShape(rows, 1, splits), variant);
  }

  private GemmTile beside() {
    return new GemmTile(m, n, consumers, new ClusterShape(1, 2, 1), variant);
  }

  private GemmTile as(Variant other) {
    return new GemmTile(m, n, consumers, cluster, other);
  }

  /** The name, such as {@code 128x256x2}: rows, columns, and CTAs that share B's tiles. */
  String name() {
    return m + "x" + n + "x" + cluster.m() + (cluster.n() > 1 ? "-beside" + cluster.n() : "")
        + (cluster.splits() > 1 ? "-split" + cluster.splits() : "")
        + (isPingPong() ? "-in-turn" : isTransposed() ? "-transposed" : "") + (isStreamK() ? "-shared-tail" : "");
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
    boolean exact = problem.types().accumulation() == Accumulation.EXACT && problem.types().isPromoted();
    if (exact && PROMOTED.contains(this)) return true;
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
    int resident = resident(problem);
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
    boolean outgrows = outgrowsL2(p.types(), GemmExtents.of(p)).value() == 1;
    return new Sm90GemmConfig(Operands.of(p), new TileShape(m, n, depthBytes / p.types().a().bytes()), consumers,
        stages, cluster, BAND_ROWS / (m * cluster.m()), resident,
        outgrows ? variant.with(Variant.Order.WAVE_SYNCHRONISED) : variant);
  }

  /** One where CTAs have several tiles, and L2 does not hold all of k of what they copy for one wave, else zero. */
  Formula outgrowsL2(GemmTypes types, GemmExtents e) {
    // Wider elements gained nothing but in the very largest tiles; products with scales were 1 % slower in step.
    boolean never = !variant.equals(Variant.PLAIN) || cluster.splits() > 1
        || types.a().bits() > Byte.SIZE && m * n <= GemmCost.LARGE || types.accumulation() == Accumulation.SCALED;
    if (never) return Formula.of(0);
    var rows = e.m().min(BAND_ROWS);
    var columns = e.n().min(MULTIPROCESSORS * (long) m * n / BAND_ROWS);
    var held = rows.plus(columns).times(e.k()).times(types.a().bytes());
    return held.atMost(Formula.of(L2_BYTES), Formula.of(0),
        Formula.of(2 * MULTIPROCESSORS).atMost(e.groups(m, n), Formula.of(1), Formula.of(0)));
  }

  /**
   * CTAs on an SM: two where all then run at once, so that the next kernel's find room early and their
   * prologues are hidden. Half of the shared memory is enough for few columns, and where k is not long; where k is
   * split both have to be so, and for many columns there have to be more tiles than SMs.
   */
  Formula resident(GemmTypes types, GemmExtents e) {
    var one = Formula.of(1);
    var two = Formula.of(2);
    int splits = cluster.splits();
    boolean few = n <= FEW_COLUMNS;
    if (!isTransposed() || consumers > 1 || n > MOST_RESIDENT_COLUMNS || splits > 1 && !few) return one;
    var tiles = e.groups(m, n);
    // Split in two, FP32 matrices of 16×4096×4096 took 20.0 µs with two and 18.2 with one.
    var whereShort = e.k().times(types.a().bytes() * splits).atMost(Formula.of(SHORT_BYTES), two, one);
    var enough = splits == 1 && few ? two : whereShort;
    if (n > MOST_DEEP_COLUMNS) enough = tiles.atMost(Formula.of(MULTIPROCESSORS), one, enough);
    // Of 192 CTAs that split k, some would have an SM alone and finish early.
    return tiles.times(splits).atMost(Formula.of((splits == 1 ? 2 : 1) * MULTIPROCESSORS), enough, one);
  }

  private int resident(GemmProblem problem) {
    return (int) resident(seen(problem.types()), seen(GemmExtents.of(problem))).value();
  }

  private GemmProblem seen(GemmProblem problem) {
    return isTransposed() ? problem.transposed() : problem;
  }

  private GemmTypes seen(GemmTypes types) {
    return isTransposed() ? types.transposed() : types;
  }

  private GemmExtents seen(GemmExtents extents) {
    return isTransposed() ? extents.transposed() : extents;
  }

  /** Expected microseconds. */
  double cost(GemmProblem problem) {
    return cost(problem.types(), GemmExtents.of(problem)).value();
  }

  /** Expected microseconds of problems of these types. */
  Formula cost(GemmTypes types, GemmExtents extents) {
    var time = new GemmCost(this, seen(types), seen(extents)).microseconds();
    if (!isStreamK()) return time;
    return extents.k().atMost(Formula.of(0), Formula.of(Double.MAX_VALUE), time);
  }

  /** A number for each configuration that problems of these types can have: CTAs on an SM, and whether in step. */
  Formula form(GemmTypes types) {
    var extents = seen(GemmExtents.NAMED);
    return outgrowsL2(seen(types), extents).times(2).plus(resident(seen(types), extents));
  }

  /** CTAs of a launch: as many clusters as there is room for, if there is work for them, and one at least. */
  Formula blocks(GemmTypes types) {
    var extents = seen(GemmExtents.NAMED);
    var groups = extents.groups(m * cluster.m(), n * cluster.n());
    var work = isStreamK() ? groups.times(extents.k().ceilDiv(DEPTH_BYTES / types.a().bytes())) : groups;
    var room = resident(seen(types), extents).times(MULTIPROCESSORS).dividedBy(Formula.of(cluster.blocks()));
    return work.max(1).min(room).times(cluster.blocks());
  }

  /** Tiles of these rows and columns that cover C, batch and all. */
  static long groups(GemmProblem problem, int rows, int columns) {
    return (long) GemmExtents.of(problem).groups(rows, columns).value();
  }

  /** The clusters of a launch: as many as there is room for, if there is work for them, and one at least. */
  static int clusters(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    long work = groups(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n())
        * (config.streamK() ? Math.ceilDiv(problem.k(), config.tileK()) : 1);
    return Math.clamp(work, 1, MULTIPROCESSORS * config.resident() / cluster.blocks());
  }
}
