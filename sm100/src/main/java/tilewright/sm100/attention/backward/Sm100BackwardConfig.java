package tilewright.sm100.attention.backward;

import java.util.Optional;
import java.util.OptionalInt;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.attention.BoxedTensors;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.KeyBlocks;
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
 * @param lists whether tiles of queries that a mask hides are skipped
 */
record Sm100BackwardConfig(ElementType type, Shape shape, int headsTogether, Band band, Modification modification,
    boolean packed, boolean deterministic, boolean lists) {
  /** Keys of a block: one per lane of Tensor Memory, so that a thread has one row of Sᵀ and dPᵀ. */
  static final int KEYS = TensorMemory.LANES;
  /** Queries of a tile: one per lane of Tensor Memory, so that a thread has one row of dQ. */
  static final int QUERIES = TensorMemory.LANES;
  /** Warpgroups that share the queries of a tile of Sᵀ. */
  static final int HALVES = 2;
  /** Columns of Tensor Memory that a thread has in registers at a time. */
  static final int CHUNK = 32;
  /** Queries of a tile that a warpgroup has. */
  static final int HALF = QUERIES / HALVES;
  /** Bytes of a warp's rows of dS, in 16 bits, that one CTA of a pair sends to the other. */
  static final int SENT_BYTES = Warp.SIZE * HALF * Short.BYTES;

  private static final int QUAD = 4;
  private static final int WARPS = 4;
  /** Rows and columns of dQ that a warp copies at a time. */
  static final int PIECE = Warp.SIZE * CHUNK;

  /**
   * The extents of tiles.
   *
   * @param headDim head dimension of Q and K; {@code valueDim} that of V and O
   * @param stagesQ tiles of Q in shared memory; {@code stagesO} those of dO
   * @param staging chunks of dQ in shared memory
   * @param ctas that multiply together: 1, or a pair with twice the keys, of which each has half of every operand B
   */
  record Shape(int headDim, int valueDim, int stagesQ, int stagesO, int staging, int ctas) {
    private static final int WIDE = 128;

    /** Whether CTAs multiply in pairs. */
    boolean paired() {
      return ctas == 2;
    }

    /** Tiles of rows' statistics in shared memory: a pair's next scores come before the last dK. */
    int stagesOfStatistics() {
      return paired() ? 2 : stagesQ;
    }

    /** Keys of a block, which the CTAs share. */
    int keys() {
      return ctas * KEYS;
    }

    /** Whether Tensor Memory is too small for Sᵀ and dPᵀ side by side, and for all of dQ. */
    boolean wide() {
      return headDim > WIDE;
    }

    /** Columns of dQ that are multiplied at a time. */
    int columnsOfDQ() {
      return wide() ? WIDE / 2 : headDim;
    }

    /** Columns of Tensor Memory that these take: of a pair's 64 rows each, half in the lanes that are left. */
    int columnsInMemory() {
      return columnsOfDQ() / ctas;
    }
  }

  /** Registers of a thread that computes P and dS: with 144 or 136, in turn, ptxas spills nothing. */
  int computeRegisters() {
    boolean more = shape.paired() ? modification.captures().perScore()
        || modification.score().isPresent() && (band.isAll() || deterministic) : lists;
    return more ? 144 : 136;
  }

  /** Registers of any other thread: the rest of the 512 that four warpgroups have per lane. */
  int otherRegisters() {
    return (512 - HALVES * computeRegisters()) / 2;
  }

  /** The order of additions to dQ, where it is fixed. */
  Optional<DeterministicOrder> order() {
    return deterministic ? Optional.of(new DeterministicOrder(band, QUERIES, shape.keys(), shape.ctas))
        : Optional.empty();
  }

  /** The blocks of keys in the order of their launch. */
  KeyBlocks.Plan blocks() {
    boolean descends = order().map(DeterministicOrder::descends).orElse(false);
    return new KeyBlocks.Plan(band, shape.keys(), OptionalInt.of(headsTogether), descends, lists);
  }

  /** The tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, packed);
  }

  /** Operand B of Sᵀ, this CTA's share of the queries: (queries, D, stages). */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, QUERIES / shape.ctas, shape.headDim, shape.stagesQ);
  }

  /** Operand B of dK before it is transposed, this CTA's share of the columns: (queries, D, stages). */
  OffsetMap layoutQColumns() {
    return SwizzledRows.alongColumns(type, QUERIES, shape.headDim / shape.ctas, shape.stagesQ);
  }

  /** Operand B of dPᵀ, this CTA's share of the queries: (queries, Dv, stages). */
  OffsetMap layoutDO() {
    return SwizzledRows.alongColumns(type, QUERIES / shape.ctas, shape.valueDim, shape.stagesO);
  }

  /** Operand B of dV before it is transposed, this CTA's share of the columns: (queries, Dv, stages). */
  OffsetMap layoutDOColumns() {
    return SwizzledRows.alongColumns(type, QUERIES, shape.valueDim / shape.ctas, shape.stagesO);
  }

  /** A block of K, or of dK: (keys, D, 1). */
  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, KEYS, shape.headDim, 1);
  }

  /** A block of V, or of dV: (Dv, keys, 1). */
  OffsetMap layoutV() {
    return SwizzledRows.alongRows(type, shape.valueDim, KEYS, 1);
  }

  /** Operand B of dQ before it is transposed, this CTA's share of the columns: (keys, D, CTAs). */
  OffsetMap layoutKColumns() {
    return SwizzledRows.alongColumns(type, KEYS, shape.headDim / shape.ctas, shape.ctas);
  }

  /** It transposed, by the columns of dQ that are multiplied at a time: (columns, keys, parts or CTAs). */
  OffsetMap partsOfK() {
    int columns = shape.columnsOfDQ() / shape.ctas;
    return SwizzledRows.alongRows(type, columns, KEYS, shape.headDim / columns);
  }

  /**
   * dSᵀ as the warpgroups compute it: (keys, a half's queries, places). One CTA has a place per half. Of a pair, a CTA
   * multiplies the half of its rank: it has a place per CTA that computes it, and one for the half that it sends.
   */
  OffsetMap layoutDS() {
    return SwizzledRows.alongColumns(type, KEYS, HALF, placesOfDS());
  }

  private int placesOfDS() {
    return shape.paired() ? shape.ctas + 1 : HALVES;
  }

  /** Operand A of dQ: (queries, keys, places). */
  OffsetMap operandDS() {
    int queries = QUERIES / shape.ctas;
    return SwizzledRows.alongRows(type, queries, KEYS, placesOfDS() * HALF / queries);
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
        Layout.of(shape.staging, (long) WARPS * PIECE));
  }

  /**
   * Place among a tile's accumulators of dQ, piece by piece → column-major index in the tile. The rows of an operand dS
   * are a warpgroup's chunks of queries, one after the other.
   */
  Layout accumulatorOrder() {
    var chunksOfHalf = Layout.of(HALF / CHUNK, HALVES * CHUNK);
    var halves = Layout.of(HALVES, CHUNK);
    int columns = shape.headDim / shape.ctas;
    var lanes = shape.paired() ? Layout.of(chunksOfHalf, Layout.of(shape.ctas, columns * QUERIES))
        : Layout.of(chunksOfHalf, halves);
    var pieces = Layout.of(Layout.of(QUAD, QUERIES), Layout.of(Warp.SIZE, 1), Layout.of(CHUNK / QUAD, QUAD * QUERIES),
        lanes, Layout.of(columns / CHUNK, CHUNK * QUERIES));
    return shape.paired() ? Layout.of(pieces, halves) : pieces;
  }
}
