package tilewright.kernels.attention;

import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * A variant of SM80 attention that divides the work in one of several ways.
 *
 * @param type of Q, K, V and O
 * @param scoreSums type that Q·Kᵀ is summed in, f32 or f16; {@code outputSums} of P·V
 * @param dim of a head
 * @param swizzled the letters of those of Q, K and V whose tiles are swizzled, such as {@code qk}
 * @param slots of shared memory that tiles of K and V have in turn
 */
public record VariantConfig(Way way, ElementType type, ElementType scoreSums, ElementType outputSums, int dim,
    String swizzled, int slots) implements AttentionVariant {
  /** Elements that one access moves. */
  private static final int VECTOR = 8;
  /** A row of all banks. */
  private static final int WIDE_CHUNK = 64;
  private static final int NARROW_CHUNK = 32;
  private static final int TILE = 64;
  /** Keys of a chunk of V in a ring: as many rows as one access of all threads copies. */
  private static final int RING_VALUES = 32;
  /** More slots do not hide more of a copy's latency. */
  private static final int MOST_SLOTS = 4;
  /** Up to this head dimension the registers of two warps hold their halves of the rows of O. */
  private static final int HALF_ROWS = 512;

  public VariantConfig {
    int unit = unit(way, dim);
    if (dim < unit || dim > way.mostDim() || dim % unit != 0) {
      throw new IllegalArgumentException("no attention_" + way + " for head dimension " + dim + ": a multiple of "
          + unit + " up to " + way.mostDim());
    }
  }

  /** The multiple that head dimensions are. */
  private static int unit(Way way, int dim) {
    int unit = dim > HALF_ROWS ? WIDE_CHUNK : NARROW_CHUNK;
    return way.rings() ? 2 * unit : unit;
  }

  /** The head dimensions of a way, largest first. */
  public static IntStream dims(Way way) {
    return IntStream.iterate(way.mostDim(), dim -> dim > 0, dim -> dim - NARROW_CHUNK)
        .filter(dim -> dim % unit(way, dim) == 0);
  }

  /** The ring for the smallest head dimension that has a given one, with as many slots as an SM has room for. */
  static Optional<VariantConfig> ring(ElementType type, int leastDim, Multiprocessor sm) {
    int unit = unit(Way.TILED_KV, leastDim);
    int dim = Math.ceilDiv(leastDim, unit) * unit;
    for (int slots = MOST_SLOTS; slots >= 2; slots--) {
      var config = new VariantConfig(Way.TILED_KV, type, ElementType.F32, ElementType.F32, dim, "qkv", slots);
      if (config.sharedBytes() <= sm.ctaSharedBytes()) return Optional.of(config);
    }
    return Optional.empty();
  }

  /** Bytes of a ring, of Q and P, and of the numbers by which warps combine their parts of rows. */
  private int sharedBytes() {
    var tiling = tiling();
    return type.bytes() * (slots * slotElements() + tiling.tileM() * (dim + tiling.tileN()))
        + ElementType.F32.bytes() * tiling.tileM() * tiling.warpsN();
  }

  /** The kernel, which is launched with a grid of (tiles of queries, heads, batch). */
  public Kernel kernel() {
    return new Sm80Attention(this);
  }

  @Override
  public String name() {
    var sums = scoreSums == outputSums ? scoreSums.text() : scoreSums.text() + "_" + outputSums.text();
    return "attention_" + way + "_" + type.text() + "_" + sums + "_d" + dim;
  }

  /** Queries of a CTA. */
  public int tileM() {
    return dim > HALF_ROWS && warpsN() > 1 ? TILE / 2 : TILE;
  }

  private int warpsM() {
    return way == Way.SPLIT_KV || warpsN() > 2 ? 2 : 4;
  }

  private int warpsN() {
    if (way.rings()) return 4;
    if (way == Way.SPLIT_KV) return 2;
    if (dim <= way.wholeRows()) return 1;
    return dim <= HALF_ROWS ? 2 : 4;
  }

  @Override
  public AttentionTiling tiling() {
    if (way.rings()) {
      int values = dim > HALF_ROWS ? dim / 2 : dim;
      return new AttentionTiling(tileM(), TILE, dim, dim, ringColumns(values), values, RING_VALUES, warpsM(), warpsN(),
          scoreSums, outputSums);
    }
    int chunk = dim % WIDE_CHUNK == 0 ? WIDE_CHUNK : NARROW_CHUNK;
    return new AttentionTiling(tileM(), TILE, dim, dim, way.tilesScores() ? chunk : dim,
        way == Way.TILED_QKV ? chunk : dim, TILE, warpsM(), warpsN(), scoreSums, outputSums);
  }

  /** The most columns of K that divide the head dimension and fit where a chunk of V does. */
  private int ringColumns(int values) {
    int columns = Math.max(WIDE_CHUNK, values * RING_VALUES / TILE / WIDE_CHUNK * WIDE_CHUNK);
    while (dim % columns != 0) columns -= WIDE_CHUNK;
    return columns;
  }

  @Override
  public int residentBlocks() {
    return 1;
  }

  @Override
  public Accesses accesses() {
    return Accesses.byRows(VECTOR);
  }

  @Override
  public TensorSpec q() {
    return specs().q().fixed("D", dim);
  }

  @Override
  public TensorSpec k() {
    return specs().k().fixed("D", dim);
  }

  @Override
  public TensorSpec v() {
    return specs().v().fixed("Dv", dim);
  }

  @Override
  public TensorSpec o() {
    return specs().o().fixed("Dv", dim);
  }

  private AttentionSpecs specs() {
    return new AttentionSpecs(type);
  }

  @Override
  public boolean tilesInGrid() {
    return true;
  }

  @Override
  public boolean tuned() {
    return false;
  }

  @Override
  public Rematerialisation rematerialisation() {
    return rematerialisation(band());
  }

  /** Returns what ptxas 13.0 spills least with, under a band. */
  Rematerialisation rematerialisation(Band band) {
    return switch (way) {
      case TILED_KV -> Rematerialisation.OPERANDS;
      case TILED_QKV -> band.left().isPresent() && dim == HALF_ROWS ? Rematerialisation.NONE : Rematerialisation.COPIES;
      // Narrow chunks have more addresses: at 480, sm_120 would spill 40 bytes.
      case TILED_QK -> dim > way.wholeRows() && dim % WIDE_CHUNK != 0 ? Rematerialisation.COPIES
          : Rematerialisation.NONE;
      default -> Rematerialisation.NONE;
    };
  }

  @Override
  public boolean coversBlocks() {
    return way.rings();
  }

  @Override
  public boolean queryInRegisters() {
    return way == Way.SHARED_QKV;
  }

  @Override
  public SharedTiles sharedTiles(Scope scope) {
    return sharedTiles(scope, ValueOrder.ROW_MAJOR);
  }

  /** The tiles in shared memory for an order of V. */
  SharedTiles sharedTiles(Scope scope, ValueOrder values) {
    var tiling = tiling();
    if (way.rings()) return ring(scope, tiling, values);
    var k = scope.shared(type, alongColumns("k", TILE, tiling.chunk(), slots));
    var layoutQ = alongColumns("q", tiling.tileM(), tiling.chunk(), way.tilesScores() ? 2 : 1);
    var q = way == Way.SHARED_QKV ? k.under(layoutQ) : scope.shared(type, layoutQ);
    var v = way == Way.TILED_QK ? scope.shared(type, values(values, dim, TILE, 1))
        : k.under(values(values, tiling.valueChunk(), TILE, slots));
    return new SharedTiles(q, k, v);
  }

  /** All chunks of Q, and the slots of a ring as chunks of K and as chunks of V. */
  private SharedTiles ring(Scope scope, AttentionTiling tiling, ValueOrder values) {
    var q = scope.shared(type, alongColumns("q", tiling.tileM(), tiling.chunk(), tiling.chunks()));
    var ring = scope.shared(type, Layout.of((long) slots * slotElements(), 1));
    return new SharedTiles(q, ring.under(inSlots(alongColumns("k", tiling.tileN(), tiling.chunk(), 1))),
        ring.under(inSlots(values(values, tiling.valueChunk(), tiling.valueKeys(), 1))));
  }

  private int slotElements() {
    var tiling = tiling();
    return Math.max(tiling.tileN() * tiling.chunk(), tiling.valueChunk() * tiling.valueKeys());
  }

  /** A tile in each slot of the ring. */
  private OffsetMap inSlots(OffsetMap tile) {
    var stages = Layout.of(slots, slotElements());
    return switch (tile) {
      case Layout plain -> Layout.of(plain.mode(0), plain.mode(1), stages);
      case ComposedLayout swizzled -> swizzled.with(
          Layout.of(swizzled.layout().mode(0), swizzled.layout().mode(1), stages));
    };
  }

  @Override
  public Optional<SharedTensor> sharedP(Scope k) {
    return warpsN() == 1 ? Optional.empty()
        : Optional.of(k.shared(type, alongColumns("q", tileM(), tiling().tileN(), 1)));
  }

  @Override
  public SharedTensor staging(SharedTiles tiles) {
    // Q is not read any more when O is stored; the last chunk of V may be.
    var memory = way.rings() ? tiles.q() : tiles.v();
    return memory.under(alongColumns(way.rings() ? "q" : "v", tileM(), tiling().valueChunk(), 1));
  }

  @Override
  public KeyValueTiles pipeline(KeyValueTiles.Copies copies) {
    return way.rings() ? new RingTiles(copies, slots)
        : new ChunkedTiles(copies, new ChunkedTiles.Slots(slots, way == Way.TILED_QK, way.tilesScores(),
            way == Way.SHARED_QKV));
  }

  /** A tile of the tensor of that letter, neighbours along its columns. */
  private OffsetMap alongColumns(String letter, int rows, int columns, int stages) {
    return swizzled.contains(letter) ? SwizzledTile.alongColumns(rows, columns, stages)
        : Layout.of(Layout.of(rows, columns), Layout.of(columns, 1), Layout.of(stages, (long) rows * columns));
  }

  /** A tile of V (head dimension, keys, stages) in an order. */
  private OffsetMap values(ValueOrder order, int rows, int columns, int stages) {
    if (order == ValueOrder.COLUMN_MAJOR) return alongColumns("v", rows, columns, stages);
    return swizzled.contains("v") ? SwizzledTile.alongRows(rows, columns, stages)
        : Layout.columnMajor(rows, columns, stages);
  }
}
