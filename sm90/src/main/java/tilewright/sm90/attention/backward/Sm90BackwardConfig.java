package tilewright.sm90.attention.backward;

import java.util.OptionalInt;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.attention.BoxedTensors;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.KeyBlocks;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parameters that are fixed when Hopper's gradients of attention are traced.
 *
 * @param type of Q, K, V, O and their gradients: f16 or bf16
 * @param shape extents of tiles, and warpgroups
 * @param band the keys that a query attends to, by distance
 * @param modification the change of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param deterministic whether CTAs add to dQ in a fixed order
 * @param lists whether tiles of queries that a mask hides are skipped
 */
public record Sm90BackwardConfig(ElementType type, Shape shape, Band band, Modification modification,
    boolean packed, boolean deterministic, boolean lists) {
  /** Registers of a thread of each of three warpgroups together, in steps that setmaxnreg takes. */
  private static final int REGISTERS = 504;
  /** Elements of a swizzled row. */
  private static final int ROW = 64;

  /**
   * Tiles and warpgroups.
   *
   * @param headDim head dimension of Q and K in tiles; {@code valueDim} that of V and dO
   * @param consumers warpgroups that multiply
   * @param queries of a tile
   * @param stages tiles of Q, dO and dS in shared memory, at least 2: dS is written while another is multiplied
   * @param sharesHeadDim whether warpgroups share the columns of dK and dV, and the queries of Sᵀ, of a block of 64
   *     keys; else each has 64 keys of its own
   * @param producerRegisters registers of the producer's threads; two consumers get what is left
   */
  public record Shape(int headDim, int valueDim, int consumers, int queries, int stages, boolean sharesHeadDim,
      int producerRegisters) {
    int threads() {
      return Warpgroup.SIZE * (consumers + 1);
    }

    /** Keys of a block. */
    public int keys() {
      return sharesHeadDim ? WgmmaAtom.M : WgmmaAtom.M * consumers;
    }
  }

  /** The order of additions to dQ, where it is fixed. */
  DeterministicOrder order() {
    return new DeterministicOrder(band, shape.queries, shape.keys());
  }

  KeyBlocks.Plan blocks() {
    // The launch says how many heads' blocks run side by side, so that Q and dO stay in L2.
    var together = band.right().isPresent() == deterministic ? OptionalInt.of(1) : OptionalInt.empty();
    return new KeyBlocks.Plan(band, shape.keys(), together, deterministic && order().descends(), lists);
  }

  /** The GEMMs Sᵀ and dPᵀ of a warpgroup: 64 keys by its queries. */
  WgmmaAtom atomOfScores() {
    return new WgmmaAtom(type, shape.sharesHeadDim ? shape.queries / shape.consumers : shape.queries);
  }

  /**
   * The GEMMs of a warpgroup's share of columns along a head dimension, which lies in rows of 128 bytes: as wide as the
   * share where that is made of whole rows, else of parts of them.
   */
  WgmmaAtom atomOfShare(int dim) {
    int share = dim / shape.consumers;
    return new WgmmaAtom(type, share % ROW == 0 ? share : Math.min(ROW / 2, share));
  }

  /** The first query of a warpgroup's part of Sᵀ. */
  I32 firstQuery(I32 group) {
    return shape.sharesHeadDim ? group.times(shape.queries / shape.consumers) : group.constant(0);
  }

  /** The first key of a warpgroup's part of Sᵀ. */
  I32 firstKey(I32 group) {
    return shape.sharesHeadDim ? group.constant(0) : group.times(WgmmaAtom.M);
  }

  /** Registers of a consumer's thread: with the producer's no more than the CTA begins with. */
  int consumerRegisters() {
    return (REGISTERS - shape.producerRegisters) / shape.consumers;
  }

  /** The tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, packed);
  }

  /** The coordinates at which boxes of these begin. */
  TileCoordinates coordinates(Scope k) {
    return new TileCoordinates(k, packed);
  }

  /** K (keys, D), as Sᵀ = K·Qᵀ reads it. */
  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, shape.keys(), shape.headDim, 1);
  }

  /** Kᵀ (D, keys) in K's memory, as dQ reads it. */
  OffsetMap transposedK() {
    return SwizzledRows.alongRows(type, shape.headDim, shape.keys(), 1);
  }

  /** V (keys, Dv), as dPᵀ = V·dOᵀ reads it. */
  OffsetMap layoutV() {
    return SwizzledRows.alongColumns(type, shape.keys(), shape.valueDim, 1);
  }

  /** Vᵀ (Dv, keys) in V's memory, as copies fill it. */
  OffsetMap transposedV() {
    return SwizzledRows.alongRows(type, shape.valueDim, shape.keys(), 1);
  }

  /** Q (queries, D, stages). */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, shape.queries, shape.headDim, shape.stages);
  }

  /** Qᵀ (D, queries, stages) in Q's memory, as dK = dSᵀ·Q reads it. */
  OffsetMap transposedQ() {
    return SwizzledRows.alongRows(type, shape.headDim, shape.queries, shape.stages);
  }

  /** dO (queries, Dv, stages). */
  OffsetMap layoutDO() {
    return SwizzledRows.alongColumns(type, shape.queries, shape.valueDim, shape.stages);
  }

  /** dOᵀ (Dv, queries, stages) in dO's memory, as dV = Pᵀ·dO reads it. */
  OffsetMap transposedDO() {
    return SwizzledRows.alongRows(type, shape.valueDim, shape.queries, shape.stages);
  }

  /** dS (queries, keys, stages), queries side by side as the accumulators of Sᵀ have them. */
  OffsetMap layoutDS() {
    return SwizzledRows.alongRows(type, shape.queries, shape.keys(), shape.stages);
  }

  /** dSᵀ (keys, queries, stages) in dS's memory, as dK reads it where it comes from shared memory. */
  OffsetMap transposedDS() {
    return SwizzledRows.alongColumns(type, shape.keys(), shape.queries, shape.stages);
  }

  /** dK (rows, columns, warpgroups) in the epilogue, in K's memory: each warpgroup's share. */
  OffsetMap layoutDK() {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, shape.headDim / columnShares(), shape.consumers);
  }

  /** dVᵀ (columns, rows, warpgroups) in the epilogue, in V's memory: each warpgroup's share. */
  OffsetMap layoutDV() {
    return SwizzledRows.alongRows(type, shape.valueDim / columnShares(), WgmmaAtom.M, shape.consumers);
  }

  /** Warpgroups that share the columns of dK and dV. */
  int columnShares() {
    return shape.sharesHeadDim ? shape.consumers : 1;
  }
}
