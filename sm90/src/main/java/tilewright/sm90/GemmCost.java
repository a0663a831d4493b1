package tilewright.sm90;

import java.util.List;
import tilewright.async.schedule.StreamKTiles;
import tilewright.kernels.choice.Formula;

/**
 * The expected time of a GEMM with a tile: waves of tiles, of which the last may leave SMs idle, each as long as its
 * steps along k and its epilogue; and the time that the tensors take to cross global memory. A step takes as long as
 * its products, or as its loads from L2, which rows that begin inside a cache line slow down. Constants are fitted to
 * times of an H100 (docs/benchmarks/gemm).
 */
final class GemmCost {
  /** Elements of C in a large tile, which others are compared with. */
  static final double LARGE = 128 * 256;

  private static final double NANOSECONDS = 1000;

  /** Microseconds of a launch. */
  private static final double LAUNCH = 2.5;
  /** Microseconds that a launch takes longer each time that clusters have twice as many CTAs. */
  private static final double CLUSTERS = 0.198;
  /** Microseconds of a large tile's step along k, and the part of it that smaller tiles take as well. */
  private static final double STEP = 0.545;
  private static final double OVERHEAD = 0.0152;
  /** Microseconds that a step of half a large tile takes longer where CTAs load for each other, and smaller ones. */
  private static final double SHARING = 0.0722;
  private static final double SHARING_BEGINS = 0.155;
  /** Microseconds of a large tile's epilogue, with 16-bit elements. */
  private static final double STORE = 4.08;
  /** The part of an epilogue that nothing hides where consumers alternate. */
  private static final double SEEN = 0.3;
  /** Microseconds in which a CTA receives another's accumulators of a large tile and adds them. */
  private static final double EXCHANGE = 4.67;
  /** Microseconds in which a CTA leaves accumulators of a large tile in the workspace, and adds up each part. */
  private static final double LEAVE = 15.4;
  private static final double GATHER = 1.48;
  /** Microseconds between two waves. */
  private static final double WAVE = 0.68;
  /** Microseconds in which each SM has a line of L2, all SMs at a time. */
  private static final double LINE = 0.00121;
  private static final int LINE_BYTES = 128;
  /** How much slower L2 is where CTAs work on other parts of k, and read no lines together. */
  private static final double APART = 1.31;
  private static final int SECTOR_BYTES = 32;
  /** Lines in whose time a row of a stage comes that begins in the middle of one, at a sector, or elsewhere. */
  private static final double MIDDLE = 1.21;
  private static final double AT_SECTORS = 1.42;
  private static final double ELSEWHERE = 1.98;
  /** Bytes per microsecond that all SMs load; most of it hides. */
  private static final double LOADED_BYTES = 8.52e7;
  /** Bytes per microsecond of global memory. */
  private static final double BYTES = 3.5e6;
  /** Bytes per microsecond that an SM moves to shared memory. */
  private static final double STAGED_BYTES = 1.69e5;
  /** How much slower memory is where all SMs idle, or all that they load lies outside. */
  private static final double IDLE = 0.221;
  /** How much slower it is for each time that the larger operand is read again, up to some. */
  private static final double AGAIN = 0.071;
  /** How much slower it is for each time that weights are read again, which L2 is asked to evict first. */
  private static final double WEIGHTS_AGAIN = 0.26;
  private static final int MOST_AGAIN = 3;
  /** Rows inside a matrix that are loaded in the time of one outside, which is zeros. */
  private static final double OUTSIDE = 2.6;
  /** The part of what takes less time that does not hide behind what takes more: of loads, and of global memory. */
  private static final double LOADS_SEEN = 0.419;
  private static final double MEMORY_SEEN = 0.347;

  private final GemmTile tile;
  private final ElementBytes bytes;
  private final GemmExtents extents;
  private final Formula blocks;
  /** Steps along k of a CTA's tile. */
  private final Formula steps;
  /** Parts of a tile that does not fill a wave. */
  private final Formula cuts;
  private final Formula waves;
  /** Microseconds of an epilogue. */
  private final Formula store;
  /** Lines of L2 that a row of a stage of A lies in. */
  private final Formula linesOfA;
  private final Formula linesOfB;
  /** Microseconds in which a CTA's rows of a step come from L2, beside all others. */
  private final Formula loading;
  /** Microseconds in which they are moved to shared memory. */
  private final Formula staging;

  /**
   * Prepares the time of a tile.
   *
   * @param bytes as the kernel sees them, exchanged where the tile is transposed; the extents likewise
   */
  GemmCost(GemmTile tile, ElementBytes bytes, GemmExtents extents) {
    this.tile = tile;
    this.bytes = bytes;
    this.extents = extents;
    var cluster = tile.cluster();
    blocks = extents.groups(tile.m() * cluster.m(), tile.n() * cluster.n()).times(cluster.blocks());
    steps = bytesOfK().ceilDiv((double) GemmTile.DEPTH_BYTES * cluster.splits());
    cuts = cuts();
    waves = waves();
    // Half of the registers hold accumulators where a tile is larger.
    var held = bytes.accumulator().times(size() / Float.BYTES);
    store = held.times(held).max(1).times(bytes.output()).times(STORE * size() / Short.BYTES);
    linesOfA = lines(extents.strideA(), bytes.a());
    linesOfB = lines(extents.strideB(), bytes.b());
    loading = rows(linesOfA, linesOfB).times(tile.isStreamK() ? LINE * APART : LINE)
        .times(blocks.over(places()).min(1));
    staging = filled(extents.m(), tile.m()).plus(filled(extents.n(), tile.n())).times(GemmTile.DEPTH_BYTES)
        .over(STAGED_BYTES);
  }

  /** The expected time in microseconds. */
  Formula microseconds() {
    var rounds = waves.over(tile.resident(bytes.a(), extents)).ceil();
    // Where one tile has all columns weights are read as they come, and the ring runs on.
    var between = rounds.times(WAVE);
    if (tile.isTransposed()) between = extents.n().atMost(Formula.of(tile.n()), Formula.of(0), between);
    double launch = LAUNCH + CLUSTERS * Math.log(tile.cluster().blocks()) / Math.log(2);
    var all = between.plus(launch).plus(copied().over(LOADED_BYTES))
        .plus(together(work(), moved().over(BYTES).times(slower(rounds)), MEMORY_SEEN));
    // Twins of one tile, which differ in the last bit only, cost the same wherever that is computed.
    return all.times(NANOSECONDS).ceil().over(NANOSECONDS);
  }

  /**
   * The features by which trees correct the time: the tile's form, how it fills the GPU, and which of its work takes
   * longest.
   *
   * @param microseconds that the model expects
   */
  List<Formula> features(Formula microseconds) {
    var cluster = tile.cluster();
    var fill = blocks.over(places());
    var ofA = linesOfA.times(tile.m() / (double) cluster.n());
    var multiplied = steps.times(multiplying());
    return List.of(Formula.of(tile.n()), Formula.of(cluster.blocks()), Formula.of(cluster.m()), Formula.of(size()),
        Formula.of(tile.isStreamK() ? 1 : 0), Formula.of(tile.isTransposed() ? 1 : 0),
        Formula.of((tile.m() + tile.n()) / (double) (tile.m() * tile.n())),
        Formula.of((tile.m() / (double) cluster.n() + tile.n() / (double) cluster.m()) / (tile.m() * tile.n())),
        fill, fill.over(fill.ceil()), waves, tile.resident(bytes.a(), extents),
        covered(extents.m(), tile.m() * cluster.m()).times(covered(extents.n(), tile.n() * cluster.n())),
        covered(extents.n(), tile.n()), waves.times(store), store.over(multiplied.plus(store)),
        linesOfA, linesOfB, Formula.of(extents.acrossA() ? 1 : 0), Formula.of(extents.acrossB() ? 1 : 0),
        ofA.over(rows(linesOfA, linesOfB)), loading.over(multiplying()), staging.over(multiplying()),
        copied().over(moved()), moved(), bytesOfK(), extents.m().min(extents.n()).over(extents.m().max(extents.n())),
        microseconds);
  }

  /** The part of the rows of tiles that lie inside the matrix. */
  private static Formula covered(Formula extent, int rows) {
    return extent.over(extent.ceilDiv(rows).times(rows));
  }

  /** Bytes that all CTAs copy. */
  private Formula copied() {
    return blocks.times(steps).times(rows(Formula.of(1), Formula.of(1))).times(GemmTile.DEPTH_BYTES);
  }

  /** The longer of two times, and a part of the other. */
  private static Formula together(Formula one, Formula other, double seen) {
    return one.max(other).plus(one.min(other).times(seen));
  }

  /** The tile's size, relative to a large one. */
  private double size() {
    return tile.m() * tile.n() / LARGE;
  }

  /** Rows of both operands that a CTA copies for a step, each counted by its factor. */
  private Formula rows(Formula timesA, Formula timesB) {
    var cluster = tile.cluster();
    return timesA.times(tile.m() / (double) cluster.n()).plus(timesB.times(tile.n() / (double) cluster.m()));
  }

  /** CTAs that run at once. */
  private int places() {
    return GemmTile.room(tile.cluster()) * tile.cluster().blocks();
  }

  /** Tiles that do not fill a wave. */
  private Formula left() {
    return blocks.minus(blocks.dividedBy(Formula.of(places())).times(places()));
  }

  private Formula cuts() {
    if (!tile.isStreamK()) return Formula.of(1);
    var steps = bytesOfK().dividedBy(Formula.of((double) GemmTile.DEPTH_BYTES * StreamKTiles.LEAST_STEPS));
    var parts = Formula.of(places()).dividedBy(left().max(1)).min(steps).max(1).min(StreamKTiles.MOST_PARTS);
    return left().atMost(Formula.of(0), Formula.of(1), parts);
  }

  private Formula waves() {
    if (!tile.isStreamK()) return blocks.ceilDiv(places());
    return blocks.dividedBy(Formula.of(places()))
        .plus(left().atMost(Formula.of(0), Formula.of(0), Formula.of(1).over(cuts)));
  }

  private Formula bytesOfK() {
    return extents.k().times(bytes.a());
  }

  /** Microseconds of the tiles of a CTA, one after the other. */
  private Formula work() {
    boolean alternates = tile.isPingPong();
    var time = waves.times(steps.times(step()).plus(store.times(alternates ? SEEN : 1)))
        .plus(store.times(alternates ? 1 - SEEN : 0)).plus((tile.cluster().splits() - 1) * EXCHANGE * size());
    if (!tile.isStreamK()) return time;
    return time.plus(cuts.atMost(Formula.of(1), Formula.of(0), cuts.times(GATHER).plus(LEAVE).times(size())));
  }

  /** Microseconds of a step along k: of multiplying, filling shared memory, and reading L2 beside all others. */
  private Formula step() {
    var inside = staging.max(multiplying());
    boolean shares = tile.cluster().m() * tile.cluster().n() > 1;
    double more = shares ? SHARING * (SHARING_BEGINS + size()) / (SHARING_BEGINS + 0.5) : 0;
    return together(inside, loading, LOADS_SEEN).plus(more);
  }

  private double multiplying() {
    return STEP * (size() * (1 - OVERHEAD) + OVERHEAD);
  }

  /** Bytes of the three matrices. */
  private Formula moved() {
    return extents.m().plus(extents.n()).times(extents.k()).times(bytes.a())
        .plus(extents.m().times(extents.n()).times(bytes.output())).times(extents.batch());
  }

  /** How much slower memory is than with all SMs busy and every operand read once. */
  private Formula slower(Formula rounds) {
    var cluster = tile.cluster();
    var inside = extents.m().over(extents.m().ceilDiv(tile.m())).plus(extents.n().over(extents.n().ceilDiv(tile.n())))
        .over(tile.m() + tile.n());
    var used = inside.times(blocks.times(cuts).over(rounds.times(GemmTile.MULTIPROCESSORS)).min(1));
    var passes = extents.m().atMost(extents.n(), extents.m().ceilDiv(tile.m() * cluster.m()),
        extents.n().ceilDiv(tile.n() * cluster.n()));
    double again = tile.isTransposed() ? WEIGHTS_AGAIN : AGAIN;
    return Formula.of(1).minus(used).times(IDLE).plus(1)
        .plus(passes.minus(Formula.of(1)).min(MOST_AGAIN).times(again));
  }

  /** Rows of a tile, as long as they take to load: those outside the matrix take longer. */
  private static Formula filled(Formula extent, int rows) {
    var inside = extent.over(extent.ceilDiv(rows));
    return Formula.of(rows).minus(inside).times(OUTSIDE - 1).plus(rows);
  }

  /** Lines of L2 that a row of a stage lies in, on average: rows that begin inside a line reach into the next. */
  private static Formula lines(Formula stride, Formula elementBytes) {
    var bytes = stride.times(elementBytes);
    var inLine = bytes.remainder(SECTOR_BYTES).atMost(Formula.of(0), Formula.of(AT_SECTORS), Formula.of(ELSEWHERE));
    inLine = bytes.remainder(LINE_BYTES / 2).atMost(Formula.of(0), Formula.of(MIDDLE), inLine);
    return bytes.remainder(LINE_BYTES).atMost(Formula.of(0), Formula.of(1), inLine);
  }
}
