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
 * The parameters that are fixed when Blackwell attention is traced.
 *
 * @param type element type of Q, K, V and O: f16 or bf16
 * @param headsTogether heads whose tiles run side by side, so that their K and V stay in L2
 * @param band the keys that a query attends to, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists
 * @param lse whether the rows' logarithms are stored
 * @param cancelling whether CTAs take over the tiles of CTAs that have not begun (cluster launch control); otherwise
 *     tiles are dealt out in turns
 */
public record Sm100AttentionConfig(ElementType type, Shape shape, int headsTogether, Band band,
    Modification modification, boolean packed, boolean blockMask, boolean lse,
    boolean cancelling) {
  /** Tiles of queries that a CTA works on at once: one's softmax overlaps the other's MMAs. */
  static final int TILES = 2;
  /** Queries of a tile: one per lane of Tensor Memory, so that a thread has one row. */
  static final int ROWS = TensorMemory.LANES;

  /** Scores that become probabilities between two stores. */
  static final int CHUNK = 32;

  /**
   * The extents of tiles and blocks.
   *
   * @param headDim head dimension of Q and K; {@code valueDim} that of V and O, not larger
   * @param keys keys of a block
   * @param stages blocks of K or V in shared memory
   * @param emulated how many of 16 neighbouring pairs of exponentials FMA units compute
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

  /** Registers of a softmax thread; with cluster launch control it leaves more to the other roles. */
  int softmaxRegisters() {
    return blockMask || cancelling ? 176 : 184;
  }

  /** Registers of any other thread: the rest of the 512 that four warpgroups have per lane. */
  int otherRegisters() {
    return (512 - 2 * softmaxRegisters()) / 2;
  }

  /** Keys of a block whose probabilities are signalled first: their MMA overlaps the rest of the softmax. */
  int early() {
    return shape.keys - CHUNK;
  }

  /** The tensors in global memory. */
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

  /** V's layout, in the same stages as K. */
  OffsetMap layoutV() {
    var one = SwizzledRows.alongRows(type, shape.valueDim, shape.keys, 1);
    return one.with(Layout.of(one.layout().mode(0), one.layout().mode(1),
        Layout.of(shape.stages, (long) shape.headDim * shape.keys)));
  }
}
