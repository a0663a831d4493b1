package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * The configuration of SM80 attention for head dimensions above those of FlashAttention-2: K and V come in chunks, as
 * does Q where it does not fit whole, and warps share rows (FFPA, split-Q). Bands, modifications, packed sequences and
 * lists of blocks are those of {@link Sm80AttentionConfig}.
 *
 * @param tiles in the smallest head dimension that has both of the problem's
 * @param accesses neighbours that one access moves
 * @param exactDims whether the head dimensions are the tiles'; else they may be smaller
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists, by {@link BlockMaskKernel}
 * @param statistics of the rows that are stored
 * @param sinks whether a logit of each head takes part in its rows' softmax
 * @param rematerialisation what the loop over blocks of keys computes anew
 */
record Sm80FfpaConfig(VariantConfig tiles, Accesses accesses, boolean exactDims, Band band, Modification modification,
    boolean packed, boolean blockMask, Statistics statistics, boolean sinks, Rematerialisation rematerialisation)
    implements StridedVariant {
  private static final Way WAY = Way.TILED_QKV;
  static final int MOST_DIM = WAY.mostDim();
  private static final int HOPPER = 90;
  private static final int WIDEST_VECTOR = 8;
  /** Elements of a chunk, of which a tile's head dimension has a whole number. */
  private static final int CHUNK = 64;

  /** The configuration that computes a problem: Q stays in shared memory where an SM has room for that. */
  static Sm80FfpaConfig of(AttentionProblem p, Multiprocessor sm) {
    var tiles = VariantConfig.ring(p.type(), p.largestDim(), sm).orElseGet(() -> chunks(p));
    int dim = tiles.dim();
    var accesses = Accesses.of(p);
    boolean exact = p.sizes().headDim() == dim && p.sizes().valueDim() == dim;
    return new Sm80FfpaConfig(tiles, accesses, exact, p.band().traced(),
        p.modification().traced(), p.packed().isPresent(), p.blockMask(), p.statistics(),
        p.sinks().isPresent(), rematerialisation(tiles, p.band(), accesses, exact, sm));
  }

  /**
   * Returns what ptxas 13.0 spills nothing with. For Hopper a ring with V by rows needs nothing computed anew, which
   * would take 5 % longer.
   */
  private static Rematerialisation rematerialisation(VariantConfig tiles, Band band, Accesses accesses, boolean exact,
      Multiprocessor sm) {
    if (!tiles.way().rings()) return tiles.rematerialisation(band);
    boolean rows = accesses.order() == ValueOrder.ROW_MAJOR;
    if (isHopper(sm)) return rows ? Rematerialisation.NONE : Rematerialisation.COPIES;
    if (exact || !rows || band.left().isPresent()) return tiles.rematerialisation(band);
    if (accesses.areAll(WIDEST_VECTOR)) return Rematerialisation.QUERIES_AND_VALUES;
    return band.isAll() ? Rematerialisation.COPIES : tiles.rematerialisation(band);
  }

  /** Whether an SM is Hopper's, or a later one with as much shared memory. */
  static boolean isHopper(Multiprocessor sm) {
    return sm.sharedBytes() >= Multiprocessor.of(HOPPER).sharedBytes();
  }

  private static VariantConfig chunks(AttentionProblem p) {
    int dim = Math.ceilDiv(p.largestDim(), CHUNK) * CHUNK;
    return new VariantConfig(WAY, p.type(), ElementType.F32, ElementType.F32, dim, "qkv", WAY.slots());
  }

  @Override
  public String name() {
    return "sm80_attention_" + type().text() + "_d" + tiles.dim();
  }

  @Override
  public ElementType type() {
    return tiles.type();
  }

  @Override
  public AttentionTiling tiling() {
    return tiles.tiling();
  }

  @Override
  public int residentBlocks() {
    return tiles.residentBlocks();
  }

  @Override
  public boolean tilesInGrid() {
    return false;
  }

  @Override
  public SharedTiles sharedTiles(Scope k) {
    return tiles.sharedTiles(k, accesses.order());
  }

  @Override
  public Optional<SharedTensor> sharedP(Scope k) {
    return tiles.sharedP(k);
  }

  @Override
  public SharedTensor staging(SharedTiles shared) {
    return tiles.staging(shared);
  }

  @Override
  public KeyValueTiles pipeline(KeyValueTiles.Copies copies) {
    return tiles.pipeline(copies);
  }

  @Override
  public boolean queryInRegisters() {
    return tiles.queryInRegisters();
  }

  @Override
  public boolean coversBlocks() {
    return tiles.coversBlocks();
  }

  @Override
  public boolean tuned() {
    return tiles.tuned();
  }
}
