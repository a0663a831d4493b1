package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;

/**
 * A variant of SM80 attention that divides the work in one of several ways.
 *
 * @param type of Q, K, V and O
 * @param scoreSums type that Q·Kᵀ is summed in, f32 or f16; {@code outputSums} of P·V
 * @param dim of a head
 * @param swizzled the letters of those of Q, K and V whose tiles are swizzled, such as {@code qk}
 */
public record VariantConfig(Way way, ElementType type, ElementType scoreSums, ElementType outputSums, int dim,
    String swizzled) implements AttentionVariant {
  /** Elements that one access moves. */
  private static final int VECTOR = 8;
  /** A row of all banks. */
  private static final int WIDE_CHUNK = 64;
  private static final int NARROW_CHUNK = 32;
  private static final int TILE = 64;
  /** Up to this head dimension the registers of two warps hold their halves of the rows of O. */
  private static final int HALF_ROWS = 512;

  public VariantConfig {
    int unit = dim > HALF_ROWS ? WIDE_CHUNK : NARROW_CHUNK;
    if (dim < unit || dim > way.mostDim() || dim % unit != 0) {
      throw new IllegalArgumentException("no attention_" + way + " for head dimension " + dim + ": a multiple of "
          + unit + " up to " + way.mostDim());
    }
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
    return warpsN() > 2 ? TILE / 2 : TILE;
  }

  private int warpsM() {
    return way == Way.SPLIT_KV || warpsN() > 2 ? 2 : 4;
  }

  private int warpsN() {
    if (way == Way.SPLIT_KV) return 2;
    if (dim <= way.wholeRows()) return 1;
    return dim <= HALF_ROWS ? 2 : 4;
  }

  @Override
  public AttentionTiling tiling() {
    int chunk = dim % WIDE_CHUNK == 0 ? WIDE_CHUNK : NARROW_CHUNK;
    return new AttentionTiling(tileM(), TILE, dim, dim, way.tilesScores() ? chunk : dim,
        way == Way.TILED_QKV ? chunk : dim, warpsM(), warpsN(), scoreSums,
        outputSums);
  }

  @Override
  public int residentBlocks() {
    return 1;
  }

  @Override
  public int vector() {
    return VECTOR;
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
  public boolean queryInRegisters() {
    return way == Way.SHARED_QKV;
  }

  /** Tiles of K or V in shared memory at once. */
  private int slots() {
    return way.takesTurns() ? 1 : 2;
  }

  @Override
  public SharedTiles sharedTiles(Scope scope) {
    var tiling = tiling();
    var k = scope.shared(type, alongColumns("k", TILE, tiling.chunk(), slots()));
    var layoutQ = alongColumns("q", tiling.tileM(), tiling.chunk(), way.tilesScores() ? 2 : 1);
    var q = way == Way.SHARED_QKV ? k.under(layoutQ) : scope.shared(type, layoutQ);
    var v = way == Way.TILED_QK ? scope.shared(type, alongRows(dim, TILE, 1))
        : k.under(alongRows(tiling.valueChunk(), TILE, slots()));
    return new SharedTiles(q, k, v);
  }

  @Override
  public Optional<SharedTensor> sharedP(Scope k) {
    return warpsN() == 1 ? Optional.empty() : Optional.of(k.shared(type, alongColumns("q", tileM(), TILE, 1)));
  }

  @Override
  public SharedTensor staging(SharedTiles tiles) {
    return tiles.v().under(alongColumns("v", tileM(), tiling().valueChunk(), 1));
  }

  @Override
  public KeyValueTiles pipeline(KeyValueTiles.Copies copies) {
    return new ChunkedTiles(copies, new ChunkedTiles.Slots(slots(), way == Way.TILED_QK, way.tilesScores(),
        way == Way.SHARED_QKV));
  }

  /** A tile of the tensor of that letter, neighbours along its columns. */
  private OffsetMap alongColumns(String letter, int rows, int columns, int stages) {
    return swizzled.contains(letter) ? SwizzledTile.alongColumns(rows, columns, stages)
        : Layout.of(Layout.of(rows, columns), Layout.of(columns, 1), Layout.of(stages, (long) rows * columns));
  }

  /** A tile of V, neighbours along its rows: the head dimension. */
  private OffsetMap alongRows(int rows, int columns, int stages) {
    return swizzled.contains("v") ? SwizzledTile.alongRows(rows, columns, stages)
        : Layout.columnMajor(rows, columns, stages);
  }
}
