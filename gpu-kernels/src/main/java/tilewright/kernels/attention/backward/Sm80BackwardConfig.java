package tilewright.kernels.attention.backward;

import java.util.OptionalInt;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The configuration of FlashAttention-2's gradients on SM80: everything that is fixed when the kernel is traced.
 *
 * @param type of Q, K, V, O and their gradients: f16 or bf16
 * @param vector elements that one access moves: 8, 4 or 2 aligned neighbours, or 1 for any strides
 * @param exactDims whether the head dimensions are the tile's; else they may be smaller
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param deterministic whether CTAs add to dQ in a fixed order
 * @param lists whether tiles of queries that a mask hides are skipped
 * @param walk the order of a block's tiles of queries
 */
public record Sm80BackwardConfig(ElementType type, Shape shape, int vector, boolean exactDims, Band band,
    Modification modification, boolean packed, boolean deterministic, boolean lists, KeyBlock.Order walk) {

  /**
   * Tiles and warps.
   *
   * @param tileM queries of a tile
   * @param tileN keys of a block
   * @param tileD head dimension of Q and K; {@code tileDv} that of V and O
   * @param warps of the CTA
   * @param warpsOfScores those along the queries of S and dP; the others lie along the keys
   * @param warpsOfKeys those along the keys of dK and dV; the others lie along the head dimension
   * @param warpsOfQueries those along the queries of dQ; the others lie along the head dimension
   * @param stages tiles of Q, and of dO, in shared memory
   * @param headsTogether heads of K whose blocks run side by side
   * @param addressesAnew whether each tile computes addresses of the operands of S anew, although the assembler would
   *     hold them through the loop, and spill other registers for them
   */
  public record Shape(int tileM, int tileN, int tileD, int tileDv, int warps, int warpsOfScores, int warpsOfKeys,
      int warpsOfQueries, int stages, int headsTogether, boolean addressesAnew) {
    /** Creates a shape that leaves addresses to the assembler. */
    public Shape(int tileM, int tileN, int tileD, int tileDv, int warps, int warpsOfScores, int warpsOfKeys,
        int warpsOfQueries, int stages, int headsTogether) {
      this(tileM, tileN, tileD, tileDv, warps, warpsOfScores, warpsOfKeys, warpsOfQueries, stages, headsTogether,
          false);
    }

    int threads() {
      return Warp.SIZE * warps;
    }

    /** Bytes of the tiles of Q, dO, K, V, P and dS in shared memory. */
    int sharedBytes(ElementType type) {
      return type.bytes() * ((stages * tileM + tileN) * (tileD + tileDv) + 2 * tileM * tileN);
    }

    Shape inOneStage() {
      return new Shape(tileM, tileN, tileD, tileDv, warps, warpsOfScores, warpsOfKeys, warpsOfQueries, 1,
          headsTogether, addressesAnew);
    }

    Shape withWarpsOfScores(int along) {
      return new Shape(tileM, tileN, tileD, tileDv, warps, along, warpsOfKeys, warpsOfQueries, stages, headsTogether,
          addressesAnew);
    }

    Shape withHeadsTogether(int heads) {
      return new Shape(tileM, tileN, tileD, tileDv, warps, warpsOfScores, warpsOfKeys, warpsOfQueries, stages, heads,
          addressesAnew);
    }

    Shape withAddressesAnew(boolean anew) {
      return new Shape(tileM, tileN, tileD, tileDv, warps, warpsOfScores, warpsOfKeys, warpsOfQueries, stages,
          headsTogether, anew);
    }
  }

  DeterministicOrder order() {
    return new DeterministicOrder(band, shape.tileM, shape.tileN);
  }

  KeyBlocks.Plan blocks() {
    return new KeyBlocks.Plan(band, shape.tileN, OptionalInt.of(shape.headsTogether),
        deterministic && order().descends(), lists);
  }

  String name() {
    return "sm80_attention_backward_" + type.text() + "_d" + shape.tileD;
  }

  /** S = Q·Kᵀ: (queries, keys), over the head dimension. */
  TiledMma scores() {
    return product(shape.tileM, shape.tileN, shape.tileD, shape.warpsOfScores, true, true);
  }

  /** dP = dO·Vᵀ: (queries, keys), over the head dimension of V. */
  TiledMma probabilityGradient() {
    return product(shape.tileM, shape.tileN, shape.tileDv, shape.warpsOfScores, true, true);
  }

  /** dV = Pᵀ·dO: (keys, head dimension of V), over the queries. */
  TiledMma valueGradient() {
    return product(shape.tileN, shape.tileDv, shape.tileM, shape.warpsOfKeys, false, false);
  }

  /** dK = dSᵀ·Q: (keys, head dimension), over the queries. */
  TiledMma keyGradient() {
    return product(shape.tileN, shape.tileD, shape.tileM, shape.warpsOfKeys, false, false);
  }

  /** dQ = dS·K: (queries, head dimension), over the keys. */
  TiledMma queryGradient() {
    return product(shape.tileM, shape.tileD, shape.tileN, shape.warpsOfQueries, true, false);
  }

  private TiledMma product(int m, int n, int depth, int warpsM, boolean aKMajor, boolean bKMajor) {
    return TiledMma.of(MmaAtom.of(type, ElementType.F32),
        new TiledMma.Shape(m, n, depth, warpsM, shape.warps / warpsM, aKMajor, bKMajor));
  }

  /**
   * Place among a tile's accumulators of dQ → column-major index in the tile: values of neighbouring threads side by
   * side, so that atomic additions are coalesced.
   */
  Layout accumulatorOrder() {
    return queryGradient().accumulatorPartition().layout();
  }

  /** A tensor whose rows are those of Q and O: (rows, head dimension, heads, batch). */
  TensorSpec ofQueries(String name, String dim) {
    return operand(TensorSpec.of(name, type, "Sq", dim, "H", "B"), dim);
  }

  /** A tensor like K: (keys, D, heads of K, batch). */
  TensorSpec ofKeys(String name) {
    return operand(TensorSpec.of(name, type, "Sk", "D", "Hk", "B"), "D");
  }

  /** A tensor like V: (Dv, keys, heads of K, batch). */
  TensorSpec ofValues(String name) {
    return operand(TensorSpec.of(name, type, "Dv", "Sk", "Hk", "B"), "Dv");
  }

  private TensorSpec operand(TensorSpec spec, String dim) {
    var aligned = vector > 1 ? spec.contiguous(dim).aligned(vector) : spec;
    return exactDims ? aligned.fixed(dim, dim.equals("D") ? shape.tileD : shape.tileDv)
        : aligned.multipleOf(dim, vector);
  }

  /** The copy of a tile with rows of {@code dim} elements of a head, which are its columns if {@code rowsFirst}. */
  TiledCopy copy(Scope k, int dim, boolean rowsFirst) {
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, type.bytes());
    // Threads run along the head dimension first, so that a warp reads whole sectors of a swizzled tile's rows.
    int along = Math.min(Integer.lowestOneBit(dim), 64) / vector;
    return rowsFirst ? TiledCopy.rowMajor(atom, shape.threads(), along)
        : TiledCopy.columnMajor(atom, shape.threads(), along);
  }
}
