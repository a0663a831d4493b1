package tilewright.sm100.attention;

import tilewright.async.atom.SwizzledRows;
import tilewright.async.attention.BoxedTensors;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.TensorMemory;

/**
 * What is fixed when Blackwell attention is traced.
 *
 * @param type of Q, K, V and O: f16 or bf16
 * @param headsTogether heads whose tiles run side by side, so that their K and V stay in L2
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists
 * @param lse whether the rows' logarithms are stored
 * @param cancelling whether CTAs take over tiles of others that have not begun (CLC), else they have every so many-th
 */
public record Sm100AttentionConfig(ElementType type, Shape shape, int headsTogether, Band band,
    Modification modification, boolean packed, boolean blockMask, boolean lse,
    boolean cancelling) {
  /** Tiles of queries that a CTA works on at once, one's softmax beside the other's products. */
  static final int TILES = 2;
  /** Queries of a tile: one a lane of Tensor Memory, so that a thread has a row. */
  static final int ROWS = TensorMemory.LANES;

  /** Scores that become weights between two stores. */
  static final int CHUNK = 32;

  /**
   * Tiles and what computes them.
   *
   * @param headDim of Q and K in tiles; {@code valueDim} that of V and O, not larger
   * @param keys of a block
   * @param stages blocks of K or V in shared memory
   * @param emulated of 16 neighbouring pairs of exponentials, those that FMA units compute
   */
  public record Shape(int headDim, int valueDim, int keys, int stages, int emulated) {
    private static final int ROOMY = 128;

    /** Whether O goes through shared memory in Q's place, since both do not fit. */
    boolean outputReplacesQueries() {
      return headDim > ROOMY;
    }
  }

  int queries() {
    return TILES * ROWS;
  }

  /** Of a thread that computes weights; it leaves more to others where those find out what to do. */
  int softmaxRegisters() {
    return blockMask || cancelling ? 176 : 184;
  }

  /** Of any other thread: what is left of 512 that a lane has in four warpgroups. */
  int otherRegisters() {
    return (512 - 2 * softmaxRegisters()) / 2;
  }

  /** Keys of a block whose weights are signalled first, so that their product begins while the others are computed. */
  int early() {
    return shape.keys - CHUNK;
  }

  /** Tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, packed);
  }

  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, ROWS, shape.headDim, TILES);
  }

  OffsetMap layoutO() {
    return SwizzledRows.alongColumns(type, ROWS, shape.valueDim, TILES);
  }

  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, shape.keys, shape.headDim, shape.stages);
  }

  /** In the same stages as K. */
  OffsetMap layoutV() {
    var one = SwizzledRows.alongRows(type, shape.valueDim, shape.keys, 1);
    return one.with(Layout.of(one.layout().mode(0), one.layout().mode(1),
        Layout.of(shape.stages, (long) shape.headDim * shape.keys)));
  }
}
