package tilewright.sm100.attention.backward;

import java.util.Optional;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.attention.BoxedTensors;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.TensorMemory;

/**
 * The parameters that are fixed when Blackwell's gradients of attention are traced.
 *
 * @param type of Q, K, V, O and their gradients: f16 or bf16
 * @param headsTogether heads of K whose blocks run side by side
 * @param band the keys that a query attends to, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param deterministic whether CTAs add to dQ in a fixed order
 */
record Sm100BackwardConfig(ElementType type, Shape shape, int headsTogether, Band band, Modification modification,
    boolean packed, boolean deterministic) {
  /** Keys of a block: one per lane of Tensor Memory, so that a thread has one row of Sᵀ and dPᵀ. */
  static final int KEYS = TensorMemory.LANES;
  /** Queries of a tile: one per lane of Tensor Memory, so that a thread has one row of dQ. */
  static final int QUERIES = TensorMemory.LANES;
  /** Warpgroups that share the queries of a tile of Sᵀ. */
  static final int HALVES = 2;
  /** Columns of Tensor Memory that a thread has in registers at a time. */
  static final int CHUNK = 32;
  /** Chunks of dQ in shared memory. */
  static final int STAGING = 2;

  /** Registers of a thread that computes P and dS. */
  static final int COMPUTE_REGISTERS = 136;
  /** Registers of any other thread: the rest of the 512 that four warpgroups have per lane. */
  static final int OTHER_REGISTERS = (512 - HALVES * COMPUTE_REGISTERS) / 2;

  private static final int QUAD = 4;
  private static final int WARPS = 4;
  /** Rows and columns of dQ that a warp copies at a time. */
  static final int PIECE = Warp.SIZE * CHUNK;

  /**
   * The extents of tiles.
   *
   * @param headDim head dimension of Q and K; {@code valueDim} that of V and O
   * @param stagesQ tiles of Q in shared memory; {@code stagesO} those of dO
   */
  record Shape(int headDim, int valueDim, int stagesQ, int stagesO) {
    private static final int WIDE = 128;

    /** Whether Tensor Memory is too small for Sᵀ and dPᵀ side by side, and for all of dQ. */
    boolean wide() {
      return headDim > WIDE;
    }

    /** Columns of dQ that are in Tensor Memory at a time. */
    int columnsOfDQ() {
      return wide() ? WIDE / 2 : headDim;
    }
  }

  /** The order of additions to dQ, where it is fixed. */
  Optional<DeterministicOrder> order() {
    return deterministic ? Optional.of(new DeterministicOrder(band, QUERIES, KEYS)) : Optional.empty();
  }

  /** The tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, packed);
  }

  /** (queries, D, stages). */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, QUERIES, shape.headDim, shape.stagesQ);
  }

  /** (queries, Dv, stages). */
  OffsetMap layoutDO() {
    return SwizzledRows.alongColumns(type, QUERIES, shape.valueDim, shape.stagesO);
  }

  /** A block of K, or of dK: (keys, D, 1). */
  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, KEYS, shape.headDim, 1);
  }

  /** A block of V, or of dV: (Dv, keys, 1). */
  OffsetMap layoutV() {
    return SwizzledRows.alongRows(type, shape.valueDim, KEYS, 1);
  }

  /** dSᵀ: (keys, queries, 1). */
  OffsetMap layoutDS() {
    return SwizzledRows.alongColumns(type, KEYS, QUERIES, 1);
  }

  /** K by the columns of dQ that are multiplied at a time: (columns, keys, parts). */
  OffsetMap partsOfK() {
    return SwizzledRows.alongRows(type, shape.columnsOfDQ(), KEYS, shape.headDim / shape.columnsOfDQ());
  }

  /** The same memory as (columns, rows, stages): the operand whose neighbours run along m or n. */
  OffsetMap transposed(OffsetMap tile) {
    int rows = extent(tile, 0);
    int columns = extent(tile, 1);
    boolean alongColumns = tile.equals(SwizzledRows.alongColumns(type, rows, columns, extent(tile, 2)));
    return alongColumns ? SwizzledRows.alongRows(type, columns, rows, extent(tile, 2))
        : SwizzledRows.alongColumns(type, columns, rows, extent(tile, 2));
  }

  private static int extent(OffsetMap tile, int mode) {
    return Math.toIntExact(tile.shape().mode(mode).size());
  }

  /**
   * A chunk of dQ in shared memory (queries, columns, stages): a warp's piece is contiguous, and its lanes write quads
   * side by side, so that no bank has two.
   */
  Layout layoutDQ() {
    return Layout.of(Layout.of(Layout.of(Warp.SIZE, QUAD), Layout.of(WARPS, PIECE)),
        Layout.of(Layout.of(QUAD, 1), Layout.of(CHUNK / QUAD, QUAD * Warp.SIZE)),
        Layout.of(STAGING, (long) WARPS * PIECE));
  }

  /** Place among a tile's accumulators of dQ, piece by piece → column-major index in the tile. */
  Layout accumulatorOrder() {
    return Layout.of(Layout.of(QUAD, QUERIES), Layout.of(Warp.SIZE, 1), Layout.of(CHUNK / QUAD, QUAD * QUERIES),
        Layout.of(WARPS, Warp.SIZE), Layout.of(shape.headDim / CHUNK, CHUNK * QUERIES));
  }
}
