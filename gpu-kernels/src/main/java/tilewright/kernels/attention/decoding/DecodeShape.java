package tilewright.kernels.attention.decoding;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * Tiles of a CTA. Its warps are in groups: the warps of a group share its keys, and each group has keys of its own in
 * every block, and a softmax of its own. Groups meet once, at the end.
 *
 * @param rows of a tile: queries times the heads that share keys; 16, 32 or 64
 * @param keys of a group in a block
 * @param groups of warps
 * @param warps of a group
 * @param dim head dimension of the tiles of Q and K; {@code valueDim} of those of V and O
 * @param stages of K and V in shared memory
 * @param resident CTAs of an SM that registers are to suffice for
 */
public record DecodeShape(int rows, int keys, int groups, Warps warps, int dim, int valueDim, int stages,
    int resident) {
  static final int MOST_DIM = 256;
  static final int MOST_ROWS = 64;
  private static final int MOST_WARPS = 4;
  /** Keys of a block that eight warps share, and its bytes that are on their way. */
  static final int WIDE_BLOCK = 8 * MmaAtom.K;
  private static final int WIDE_BYTES = 64 << 10;
  /** The largest head dimension besides. */
  static final int WIDE_DIM = 192;
  private static final int[] DIMS = {64, 96, 128, WIDE_DIM, MOST_DIM};
  private static final int[] BLOCKS = {64, 32};
  /** The head dimension up to which registers hold Q, and suffice for two CTAs. */
  private static final int ROOMY_DIM = 128;
  /** Values of O in a thread beside which S may be two sums. */
  private static final int ROOMY_OUTPUT = 64;
  private static final int MOST_STAGES = 4;
  private static final int MOST_RESIDENT = 2;
  /** Bytes of a block from which on its copies hide what it takes besides. */
  private static final int ENOUGH_BYTES = 16 << 10;
  /** Bytes of the groups' logarithms, and of what aligns the tiles. */
  static final int REST_BYTES = 1024;

  /**
   * The warps of a group on a tile.
   *
   * @param down the rows
   * @param along the keys of S, and the columns of O: several share rows, and P goes through shared memory
   */
  public record Warps(int down, int along) {
    /** Whether several warps have parts of a row. */
    boolean shareRows() {
      return along > 1;
    }
  }

  /** Warps with 16 rows each, and V as wide as K. */
  public DecodeShape(int rows, int keys, int groups, int dim, int stages, int resident) {
    this(rows, keys, groups, new Warps(rows / MmaAtom.M, 1), dim, dim, stages, resident);
  }

  /**
   * The tiles for a number of rows and a head dimension in which an SM has most bytes of keys and values on their way,
   * on which the rate of memory depends (Little's law).
   *
   * @param type of Q; {@code cache} of K and V
   * @param tokenFactors whether each token of the cache has factors of its own
   * @param wide whether eight warps of one CTA are to share a block, if there is room
   */
  static DecodeShape of(int rows, int dim, ElementType type, ElementType cache, boolean tokenFactors, boolean wide,
      Multiprocessor sm) {
    int tile = IntStream.of(MmaAtom.M, 2 * MmaAtom.M).filter(m -> rows <= m).findFirst().orElse(MOST_ROWS);
    int width = Arrays.stream(DIMS).filter(d -> dim <= d).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no decoding for head dimension " + dim + ": at most " + MOST_DIM));
    return Optional.of(wide(tile, width, cache)).filter(_ -> wide && tile == MmaAtom.M && width <= WIDE_DIM)
        .filter(shape -> shape.fits(type, cache, tokenFactors, sm))
        .orElseGet(() -> candidates(tile, width).filter(shape -> shape.fits(type, cache, tokenFactors, sm))
            .max(Comparator.comparing((DecodeShape shape) -> shape.bytesOnTheirWay(cache))
                .thenComparing(DecodeShape::resident).thenComparing(DecodeShape::blockKeys)).orElseThrow());
  }

  private static DecodeShape wide(int rows, int dim, ElementType cache) {
    var two = new DecodeShape(rows, MmaAtom.K, WIDE_BLOCK / MmaAtom.K, dim, 2, 1);
    return two.withStages(1 + Math.ceilDiv(WIDE_BYTES, two.stageBytes(cache)));
  }

  private DecodeShape withStages(int number) {
    return new DecodeShape(rows, keys, groups, dim, number, resident);
  }

  private static Stream<DecodeShape> candidates(int rows, int dim) {
    int most = MOST_WARPS * MmaAtom.M / rows;
    return Arrays.stream(BLOCKS).boxed().flatMap(block -> {
      int groups = Math.min(most, block / MmaAtom.K);
      return IntStream.rangeClosed(1, dim <= ROOMY_DIM ? MOST_RESIDENT : 1).boxed().flatMap(resident ->
          IntStream.rangeClosed(2, MOST_STAGES).mapToObj(stages ->
              new DecodeShape(rows, block / groups, groups, dim, stages, resident)));
    });
  }

  private boolean fits(ElementType type, ElementType cache, boolean tokenFactors, Multiprocessor sm) {
    int factors = tokenFactors ? 2 * blockKeys() * Float.BYTES : 0;
    int shared = rows * dim * type.bytes() + stages * (stageBytes(cache) + factors) + REST_BYTES;
    return resident * (shared + Multiprocessor.RESERVED_BYTES) <= sm.sharedBytes();
  }

  private int bytesOnTheirWay(ElementType cache) {
    return resident * (stages - 1) * stageBytes(cache);
  }

  private int stageBytes(ElementType cache) {
    return 2 * blockKeys() * dim * cache.bytes();
  }

  /**
   * Whether one CTA on each SM reads as fast as memory can, so that no more are wanted: fewer places at a time are read
   * then, and there are fewer results to merge. On an H200 this is 1 to 6 % faster. Blocks that are small, or wait for
   * page numbers or products, need the other CTAs.
   */
  boolean fillsAlone(ElementType cache, boolean tokenFactors, boolean pages) {
    return rows < MOST_ROWS && !tokenFactors && !pages && stageBytes(cache) >= ENOUGH_BYTES;
  }

  /** Whether Q stays in registers, else it is read from shared memory for each block. */
  boolean queryInRegisters() {
    return dim <= ROOMY_DIM;
  }

  /**
   * Whether a stage is filled again as soon as its block is done, at a barrier more: where stages are few and large, a
   * block that is only begun when the next one has landed leaves too few bytes on their way.
   */
  boolean refills() {
    return warps.shareRows();
  }

  /**
   * Sums that S is made of: those of every other slice where rows are long, a warp has few keys and registers have room
   * beside O. One {@code mma} then waits less for the one before.
   */
  int sums() {
    return warps.shareRows() && rows * valueDim <= ROOMY_OUTPUT * threads() ? 2 : 1;
  }

  /** Blocks on their way while none is computed. */
  int ahead() {
    return refills() ? stages : stages - 1;
  }

  int threads() {
    return groups * threadsOfGroup();
  }

  int warpsOfGroup() {
    return warps.down * warps.along;
  }

  int threadsOfGroup() {
    return warpsOfGroup() * Warp.SIZE;
  }

  /** Keys of a block: those of all groups. */
  public int blockKeys() {
    return keys * groups;
  }

  /** S = Q·Kᵀ of a group: (rows, keys), over the head dimension. */
  TiledMma.Shape scores() {
    return new TiledMma.Shape(rows, keys, dim, warps.down, warps.along, true, true);
  }

  /** O = P·V of a group: (rows, columns of V), over the keys. */
  TiledMma.Shape output() {
    return new TiledMma.Shape(rows, valueDim, keys, warps.down, warps.along, true, false);
  }
}
