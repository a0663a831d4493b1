package tilewright.kernels.attention;

import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;

/**
 * What is fixed when an SM80 attention kernel is traced.
 *
 * @param type of Q, K, V and O: f16 or bf16
 * @param shape of tiles and warps
 * @param vector elements that one access moves: 8, 4 or 2 aligned neighbours, or 1 for any strides
 * @param exactDims whether the head dimensions are the tile's; else they may be smaller
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists, by {@link BlockMaskKernel}
 * @param lse whether the rows' logarithms are stored
 * @param packing of all heads that read the same keys, or none
 */
public record Sm80AttentionConfig(ElementType type, Shape shape, int vector, boolean exactDims, Band band,
    Modification modification, boolean packed, boolean blockMask, boolean lse, HeadPacking packing) {

  /**
   * Tiles and warps.
   *
   * @param tileD head dimension of Q and K, the tile's; {@code tileDv} that of V
   * @param warps along the queries
   * @param stages tiles of keys and values in shared memory
   * @param queryInRegisters whether Q stays in registers, else it is read from shared memory for each tile of keys
   * @param conditionalRescale whether accumulators are rescaled only where a maximum rose
   * @param residentBlocks CTAs a multiprocessor that registers are to suffice for
   * @param headsTogether heads whose tiles run side by side
   */
  public record Shape(int tileM, int tileN, int tileD, int tileDv, int warps, int stages, boolean queryInRegisters,
      boolean conditionalRescale, int residentBlocks, int headsTogether) {
    public int threads() {
      return 32 * warps;
    }

    /** S = Q·Kᵀ: (queries, keys), over the head dimension. */
    TiledMma.Shape scores() {
      return new TiledMma.Shape(tileM, tileN, tileD, warps, 1, true, true);
    }

    /** O = P·V: (queries, head dimension), over the keys. */
    TiledMma.Shape output() {
      return new TiledMma.Shape(tileM, tileDv, tileN, warps, 1, true, false);
    }
  }

  TensorSpec q() {
    return operand("Q", "Sq", "D", "H", shape.tileD, "Sq", "D");
  }

  TensorSpec k() {
    return operand("K", "Sk", "D", "Hk", shape.tileD, "Sk", "D");
  }

  TensorSpec v() {
    return operand("V", "Sk", "Dv", "Hk", shape.tileDv, "Dv", "Sk");
  }

  TensorSpec o() {
    return operand("O", "Sq", "Dv", "H", shape.tileDv, "Sq", "Dv");
  }

  private TensorSpec operand(String name, String rows, String columns, String heads, int dim, String... order) {
    var spec = TensorSpec.of(name, type, order[0], order[1], heads, "B");
    if (vector > 1) spec = spec.contiguous(columns).aligned(vector);
    return exactDims ? spec.fixed(columns, dim) : spec.multipleOf(columns, vector);
  }

  TensorSpec logSumExp() {
    return TensorSpec.of("LSE", ElementType.F32, "Sq", "H", "B");
  }

  /** Cumulated lengths of packed sequences. */
  TensorSpec lengths(String name) {
    return TensorSpec.of(name, ElementType.I32, "B1").contiguous("B1");
  }
}
