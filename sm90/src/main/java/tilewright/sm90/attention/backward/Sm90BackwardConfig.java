package tilewright.sm90.attention.backward;

import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.attention.BoxedTensors;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parameters that are fixed when Hopper's gradients of attention are traced.
 *
 * @param type of Q, K, V, O and their gradients: f16 or bf16
 * @param shape extents of tiles, and warpgroups
 * @param headsTogether heads of K whose blocks run side by side, so that Q and dO stay in L2
 * @param band the keys that a query attends to, by distance
 * @param modification the change of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param deterministic whether CTAs add to dQ in a fixed order
 */
record Sm90BackwardConfig(ElementType type, Shape shape, int headsTogether, Band band, Modification modification,
    boolean packed, boolean deterministic) {
  /** dS of two tiles: one is written while the other is multiplied. */
  static final int STAGES_OF_DS = 2;

  /**
   * Tiles and warpgroups.
   *
   * @param headDim head dimension of Q and K in tiles; {@code valueDim} that of V and dO
   * @param consumers warpgroups that multiply, each with 64 keys of the block
   * @param queries of a tile
   * @param stages tiles of Q, and of dO, in shared memory
   */
  record Shape(int headDim, int valueDim, int consumers, int queries, int stages) {
    int threads() {
      return Warpgroup.SIZE * (consumers + 1);
    }

    /** Keys of a block. */
    int keys() {
      return WgmmaAtom.M * consumers;
    }

    /** Whether warpgroups share dQ by its columns, as rows of dQᵀ = Kᵀ·dSᵀ; else by its rows. */
    boolean transposedQueryGradient() {
      return headDim % keys() == 0;
    }
  }

  /** Registers of the producer's threads: with the consumers' no more than the CTA begins with. */
  int producerRegisters() {
    return shape.consumers == 3 ? 32 : 24;
  }

  int consumerRegisters() {
    return shape.consumers == 3 ? 160 : 240;
  }

  /** The tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, packed);
  }

  /** The coordinates at which boxes of these begin. */
  TileCoordinates coordinates(Scope k) {
    return new TileCoordinates(k, packed, HeadPacking.NONE);
  }

  /** K (keys, D), as Sᵀ = K·Qᵀ reads it. */
  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, shape.keys(), shape.headDim, 1);
  }

  /** The same memory as Kᵀ (D, keys), as dQ reads it. */
  OffsetMap transposedK() {
    return SwizzledRows.alongRows(type, shape.headDim, shape.keys(), 1);
  }

  /** V (keys, Dv), as dPᵀ = V·dOᵀ reads it. */
  OffsetMap layoutV() {
    return SwizzledRows.alongColumns(type, shape.keys(), shape.valueDim, 1);
  }

  /** The same memory as Vᵀ (Dv, keys), as copies fill it. */
  OffsetMap transposedV() {
    return SwizzledRows.alongRows(type, shape.valueDim, shape.keys(), 1);
  }

  /** Q (queries, D, stages). */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, shape.queries, shape.headDim, shape.stages);
  }

  /** The same memory as Qᵀ (D, queries, stages), as dK = dSᵀ·Q reads it. */
  OffsetMap transposedQ() {
    return SwizzledRows.alongRows(type, shape.headDim, shape.queries, shape.stages);
  }

  /** dO (queries, Dv, stages). */
  OffsetMap layoutDO() {
    return SwizzledRows.alongColumns(type, shape.queries, shape.valueDim, shape.stages);
  }

  /** The same memory as dOᵀ (Dv, queries, stages), as dV = Pᵀ·dO reads it. */
  OffsetMap transposedDO() {
    return SwizzledRows.alongRows(type, shape.valueDim, shape.queries, shape.stages);
  }

  /** dS (queries, keys, stages), queries side by side as the accumulators of Sᵀ have them. */
  OffsetMap layoutDS() {
    return SwizzledRows.alongRows(type, shape.queries, shape.keys(), STAGES_OF_DS);
  }

  /** dK (keys of a warpgroup, D, warpgroups) on its way out, in K's place. */
  OffsetMap layoutDK() {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, shape.headDim, shape.consumers);
  }

  /** dVᵀ (Dv, keys of a warpgroup, warpgroups) on its way out, in V's place. */
  OffsetMap layoutDV() {
    return SwizzledRows.alongRows(type, shape.valueDim, WgmmaAtom.M, shape.consumers);
  }
}
