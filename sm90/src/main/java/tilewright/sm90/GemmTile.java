package tilewright.sm90;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.OutputForm;

/** A tile of C and how it is computed. */
record GemmTile(int m, int n, int consumers, ClusterShape cluster, Variant variant) {
  static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  /** SMs that run clusters of more than two CTAs: in a GPC with 18 or fewer, some are left. */
  private static final int IN_CLUSTERS = 120;
  /** Bytes of k in a stage: a swizzled row. */
  static final int DEPTH_BYTES = 128;
  private static final int SHARED_BYTES = 227 << 10;
  /** Columns of the widest tile of 8 bits whose consumers take turns. */
  private static final int WIDEST_TURNS_OF_BYTES = 128;
  /** Bytes of shared memory that the system reserves in each CTA. */
  private static final int RESERVED_BYTES = 1 << 10;
  private static final int BARRIER_BYTES = 512;
  private static final int STORED_ROW_BYTES = 128;
  private static final int MOST_STAGES = 20;
  /** Stages of a deep ring. */
  private static final int DEEP = 5;
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

  private static final long L2_BYTES = 40 << 20;

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

  /** Whether the problem can be computed so, and should be. */
  boolean takes(GemmProblem problem) {
    return canTake(problem) && (!GemmTiles.BYTES_IN_L2.contains(this)
        || ((long) problem.m() + problem.n()) * problem.k() <= L2_BYTES);
  }

  /** Whether the problem can be computed so, whatever fits L2. */
  boolean canTake(GemmProblem problem) {
    if (GemmTiles.COMMON.contains(this)) return true;
    if (GemmTiles.BYTES_IN_L2.contains(this)) return problem.types().a().bits() == Byte.SIZE;
    if (isStreamK() && problem.k() == 0) return false;
    if (problem.types().isPromoted()) {
      return problem.types().accumulation() == Accumulation.EXACT && GemmTiles.PROMOTED.contains(this);
    }
    // Of 8 bits, wide tiles in turns took 4 to 22 % longer than the fastest (docs/benchmarks/gemm/bytes-h200.json).
    if (isPingPong() && n > WIDEST_TURNS_OF_BYTES && problem.types().a().bits() == Byte.SIZE) return false;
    boolean halfSums = problem.types().accumulation() == Accumulation.F16;
    if (GemmTiles.HALF_SUMS.contains(this) && !halfSums) return false;
    if (halfSums && (isStreamK() || cluster.splits() > 1)) return false;
    var p = seen(problem);
    if (p.types().isMixed() || !WgmmaAtom.hasColumns(p.types().a(), n)) return false;
    // Only 16 bits may lie across k.
    boolean along = p.types().a().bits() == Short.SIZE || p.a().isRowMajor() && p.b().isRowMajor();
    return along && isCopied(p.a(), m) && isCopied(p.b(), n);
  }

  /** Whether a tile's swizzled rows are wide enough: those across k take as many of its rows as divide it evenly. */
  private boolean isCopied(Matrix matrix, int rows) {
    return matrix.isRowMajor() || Integer.lowestOneBit(rows) >= Math.clamp(rows, NARROWEST_ROW, NARROW_ROW);
  }

  /** Few columns are copied in steps of two swizzled rows where the ring has a whole SM. */
  Sm90GemmConfig configure(GemmProblem problem) {
    int resident = resident(problem);
    boolean deep = isTransposed() && consumers == 1 && resident == 1 && n <= MOST_DEEP_COLUMNS
        && !problem.types().isPromoted();
    return configure(seen(problem), resident, deep ? 2 * DEPTH_BYTES : DEPTH_BYTES);
  }

  /**
   * Configures a problem of few rows whose weights are loaded ahead. The ring fills the SM, to hold the more weights,
   * in steps of two swizzled rows. Clusters split k while there is room for them; otherwise the tile is the one that
   * leaves a CTA the fewest rows of weights, and of these the larger. A CTA that has all of a long k waits after all:
   * 16 rows of 7168×16384 took 59.7 µs ahead and 56.0 without.
   */
  static Optional<Sm90GemmConfig> weightsAhead(GemmProblem problem) {
    return GemmTiles.ALL.stream()
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
    boolean outgrows = outgrowsL2(p.types(), GemmExtents.of(p)).value() == 1;
    var deepest = new Sm90GemmConfig(Operands.of(p), new TileShape(m, n, depthBytes / p.types().a().bytes()), consumers,
        MOST_STAGES, cluster, BAND_ROWS / (m * cluster.m()), resident,
        outgrows ? variant.with(Variant.Order.WAVE_SYNCHRONISED) : variant);
    int room = roomForStages(deepest);
    int stage = deepest.stageBytes();
    // A ring that is not deep gains more from a further stage than the epilogue from its second one.
    int most = room / stage;
    int further = (OutputForm.STAGES - 1) * stored(n, p.output(), consumers);
    return deepest.withStages(Math.min(MOST_STAGES, most < DEEP ? most : (room - further) / stage));
  }

  /** Bytes of shared memory that hold a block of C of each warpgroup. */
  private static int stored(int n, ElementType type, int consumers) {
    return Math.min(STORED_ROW_BYTES, n * type.bytes()) * 64 * consumers;
  }

  /** Bytes of shared memory of a CTA for the ring and the epilogue, where all splits of k have room to exchange. */
  private static int shared(int resident) {
    return (SHARED_BYTES + RESERVED_BYTES) / resident - RESERVED_BYTES - BARRIER_BYTES;
  }

  private static int exchanged(ClusterShape cluster, int m, int n) {
    return (cluster.splits() - 1) * m * n * Float.BYTES;
  }

  /** Bytes of shared memory for a configuration's ring, beside a block of C of each warpgroup and exchanged sums. */
  static int roomForStages(Sm90GemmConfig config) {
    return shared(config.resident()) - exchanged(config.cluster(), config.tileM(), config.tileN())
        - stored(config.tileN(), config.types().output(), config.consumers());
  }

  /** Stages of C's blocks for which the ring leaves room. */
  static int outputStages(Sm90GemmConfig config) {
    return left(config, OutputForm.STAGES) < 0 ? 1 : OutputForm.STAGES;
  }

  /** Bytes of shared memory beside a configuration's ring and some stages of C's blocks, negative where none fit. */
  static int left(Sm90GemmConfig config, int outputStages) {
    return roomForStages(config) - config.stages() * config.stageBytes()
        - (outputStages - 1) * stored(config.tileN(), config.types().output(), config.consumers());
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
  Formula resident(Formula bytesOfA, GemmExtents e) {
    var one = Formula.of(1);
    var two = Formula.of(2);
    int splits = cluster.splits();
    boolean few = n <= FEW_COLUMNS;
    if (!isTransposed() || consumers > 1 || n > MOST_RESIDENT_COLUMNS || splits > 1 && !few) return one;
    var tiles = e.groups(m, n);
    // Split in two, FP32 matrices of 16×4096×4096 took 20.0 µs with two and 18.2 with one.
    var whereShort = e.k().times(bytesOfA.times(splits)).atMost(Formula.of(SHORT_BYTES), two, one);
    var enough = splits == 1 && few ? two : whereShort;
    if (n > MOST_DEEP_COLUMNS) enough = tiles.atMost(Formula.of(MULTIPROCESSORS), one, enough);
    // Of 192 CTAs that split k, some would have an SM alone and finish early.
    return tiles.times(splits).atMost(Formula.of((splits == 1 ? 2 : 1) * MULTIPROCESSORS), enough, one);
  }

  private int resident(GemmProblem problem) {
    return (int) resident(seen(problem.types()), seen(GemmExtents.of(problem))).value();
  }

  private Formula resident(GemmTypes types, GemmExtents extents) {
    return resident(ElementBytes.of(types).a(), extents);
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

  /** Microseconds that the model expects, in elements of these bytes. */
  Formula cost(ElementBytes bytes, GemmExtents extents) {
    var time = model(bytes, extents).microseconds();
    var never = Formula.of(Double.MAX_VALUE);
    if (isStreamK()) return extents.k().atMost(Formula.of(0), never, time);
    if (!GemmTiles.BYTES_IN_L2.contains(this)) return time;
    return extents.m().plus(extents.n()).times(extents.k()).atMost(Formula.of(L2_BYTES), time, never);
  }

  /** The features by which that time is corrected. */
  List<Formula> features(ElementBytes bytes, GemmExtents extents, Formula microseconds) {
    return model(bytes, extents).features(microseconds);
  }

  private GemmCost model(ElementBytes bytes, GemmExtents extents) {
    return new GemmCost(this, isTransposed() ? bytes.transposed() : bytes, seen(extents));
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
    var room = resident(seen(types), extents).times(room(cluster));
    return work.max(1).min(room).times(cluster.blocks());
  }

  /** Tiles of these rows and columns that cover C, batch and all. */
  static long groups(GemmProblem problem, int rows, int columns) {
    return (long) GemmExtents.of(problem).groups(rows, columns).value();
  }

  /** Clusters that run at once. */
  static int room(ClusterShape cluster) {
    return (cluster.blocks() > 2 ? IN_CLUSTERS : MULTIPROCESSORS) / cluster.blocks();
  }

  /** The clusters of a launch: as many as there is room for, if there is work for them, and one at least. */
  static int clusters(GemmProblem problem, Sm90GemmConfig config) {
    var cluster = config.cluster();
    long work = groups(problem, config.tileM() * cluster.m(), config.tileN() * cluster.n())
        * (config.streamK() ? Math.ceilDiv(problem.k(), config.tileK()) : 1);
    return Math.clamp(work, 1, room(cluster) * config.resident());
  }
}
