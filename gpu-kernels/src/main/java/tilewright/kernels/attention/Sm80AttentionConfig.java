package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionVariant.Accesses;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * The configuration of FlashAttention-2 on SM80, and on SM89 and SM120 for 8-bit operands: everything that is fixed
 * when the kernel is traced.
 *
 * @param type of Q, K and V: f16 or bf16, which O has too, or e4m3
 * @param shape of tiles and warps
 * @param accesses neighbours that one access moves
 * @param exactDims whether the head dimensions are the tile's; else they may be smaller
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists, by {@link BlockMaskKernel}
 * @param statistics of the rows that are stored
 * @param sinks whether a logit of each head takes part in its rows' softmax
 * @param packing of all heads that read the same keys, or none
 * @param quantized the types and factors of e4m3 operands
 * @param blockScales of mxf8 operands
 */
public record Sm80AttentionConfig(ElementType type, Shape shape, Accesses accesses, boolean exactDims, Band band,
    Modification modification, boolean packed, boolean blockMask, Statistics statistics, boolean sinks,
    HeadPacking packing, Optional<Quantized> quantized, Optional<BlockScales> blockScales)
    implements StridedVariant {

  /**
   * Tiles and warps.
   *
   * @param tileD head dimension of Q and K, the tile's; {@code tileDv} that of V
   * @param warps along the queries
   * @param stages tiles of keys and values in shared memory
   * @param queryInRegisters whether Q stays in registers, else it is read from shared memory for each tile of keys
   * @param conditionalRescale whether accumulators are rescaled only where a maximum rose
   * @param residentBlocks CTAs an SM that registers are to suffice for
   * @param headsTogether heads whose tiles run side by side
   * @param rematerialisation what the loop over blocks of keys computes anew
   * @param converts whether 8-bit operands are multiplied as f16
   */
  public record Shape(int tileM, int tileN, int tileD, int tileDv, int warps, int stages, boolean queryInRegisters,
      boolean conditionalRescale, int residentBlocks, int headsTogether, Rematerialisation rematerialisation,
      boolean converts) {
    /** Creates a shape whose loop computes anew what the assembler decides. */
    public Shape(int tileM, int tileN, int tileD, int tileDv, int warps, int stages, boolean queryInRegisters,
        boolean conditionalRescale, int residentBlocks, int headsTogether) {
      this(tileM, tileN, tileD, tileDv, warps, stages, queryInRegisters, conditionalRescale, residentBlocks,
          headsTogether, Rematerialisation.NONE, false);
    }

    /** Returns this shape with a loop that computes something else anew. */
    Shape with(Rematerialisation other) {
      return new Shape(tileM, tileN, tileD, tileDv, warps, stages, queryInRegisters, conditionalRescale,
          residentBlocks, headsTogether, other, converts);
    }

    /** Returns this shape for tensor cores that have no {@code mma.sync} of bytes. */
    Shape converting() {
      return new Shape(tileM, tileN, tileD, tileDv, warps, stages, queryInRegisters, conditionalRescale,
          residentBlocks, headsTogether, rematerialisation, true);
    }

    /** Bytes of the tiles of Q, K and V in shared memory. */
    int sharedBytes(ElementType type) {
      return type.bytes() * (tileM * tileD + stages * tileN * (tileD + tileDv));
    }

    /** Whether an SM holds the resident CTAs. */
    boolean fits(Multiprocessor sm, ElementType type) {
      return residentBlocks * (sharedBytes(type) + Multiprocessor.RESERVED_BYTES) <= sm.sharedBytes();
    }
  }

  @Override
  public String name() {
    var arch = blockScales.isPresent() ? "sm120" : quantized.isPresent() ? "sm89" : "sm80";
    return arch + "_attention_" + quantized.map(q -> q.format().text()).orElse(type.text()) + "_d" + shape.tileD;
  }

  @Override
  public AttentionTiling tiling() {
    return new AttentionTiling(shape.tileM, shape.tileN, shape.tileD, shape.tileDv, shape.tileD, shape.tileDv,
        shape.tileN, shape.warps, 1, ElementType.F32, ElementType.F32);
  }

  @Override
  public int residentBlocks() {
    return shape.residentBlocks;
  }

  @Override
  public int headsTogether() {
    return shape.headsTogether;
  }

  @Override
  public boolean tilesInGrid() {
    return false;
  }

  @Override
  public boolean tuned() {
    return true;
  }

  @Override
  public Rematerialisation rematerialisation() {
    return shape.rematerialisation;
  }

  @Override
  public boolean converts() {
    return shape.converts;
  }

  @Override
  public boolean queryInRegisters() {
    return shape.queryInRegisters;
  }

  @Override
  public boolean conditionalRescale() {
    return shape.conditionalRescale;
  }

  @Override
  public SharedTiles sharedTiles(Scope k) {
    return new SharedTiles(k.shared(type, SwizzledTile.alongColumns(type, shape.tileM, shape.tileD, 1)),
        k.shared(type, SwizzledTile.alongColumns(type, shape.tileN, shape.tileD, shape.stages)),
        k.shared(type, accesses.order() == ValueOrder.COLUMN_MAJOR
            ? SwizzledTile.alongColumns(type, shape.tileDv, shape.tileN, shape.stages)
            : SwizzledTile.alongRows(type, shape.tileDv, shape.tileN, shape.stages)));
  }

  /** A warp's rows of Q become its rows of O, as many columns at a time as have room. */
  @Override
  public SharedTensor staging(SharedTiles tiles) {
    return tiles.q().under(output(), SwizzledTile.alongColumns(output(), shape.tileM,
        shape.tileDv * type.bytes() / output().bytes(), 1));
  }

  @Override
  public KeyValueTiles pipeline(KeyValueTiles.Copies copies) {
    return shape.stages == 1 ? new ChunkedTiles(copies, new ChunkedTiles.Slots(1, true, false, false))
        : new KeyValueTiles.DoubleBuffered(copies);
  }

  @Override
  public OnlineSoftmax softmax(Scope k, FragmentRows rows, F32 scale, OnlineSoftmax.Combination combination) {
    if (blockScales.isPresent()) {
      var ofRows = rows.perRow(_ -> scale);
      return OnlineSoftmax.of(k, rows, () -> ofRows, OperandFactors.OFFSET);
    }
    // Blocks that a diagonal cuts need the registers that a reference of each block's own would take.
    boolean lazy = shape.conditionalRescale && band.right().isPresent();
    return lazy ? OnlineSoftmax.lazy(k, rows, scale, 0) : OnlineSoftmax.of(k, rows, scale, combination);
  }
}
