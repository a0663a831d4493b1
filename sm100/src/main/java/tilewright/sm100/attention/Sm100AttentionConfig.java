package tilewright.sm100.attention;

import java.util.Optional;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.attention.BoxedTensors;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Format;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.ValueOrder;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemory;

/**
 * The parameters that are fixed when Blackwell attention is traced.
 *
 * @param type element type of Q, K and V: f16 or bf16, which O has too, or e4m3
 * @param band the keys that a query attends to, by distance
 * @param modification of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists
 * @param lse whether the rows' logarithms are stored
 * @param sinks whether a logit of each head takes part in its rows' softmax
 * @param cancelling whether CTAs take over the tiles of CTAs that have not begun (cluster launch control); otherwise
 *     tiles are dealt out in turns
 * @param quantized what 8-bit operands need, and 16-bit ones do not
 * @param values the order of V in memory, and in shared memory: tensor cores read either
 * @param reducing whether loads of scores find their largest (SM103)
 */
public record Sm100AttentionConfig(ElementType type, Shape shape, Band band, Modification modification,
    boolean packed, boolean blockMask, boolean lse, boolean sinks,
    boolean cancelling, Optional<Quantized> quantized, ValueOrder values, boolean reducing) {
  /** Tiles of queries that a CTA works on at once: one's softmax overlaps the other's MMAs. */
  static final int TILES = 2;
  /** Queries of a tile: one per lane of Tensor Memory, so that a thread has one row. */
  static final int ROWS = TensorMemory.LANES;

  /** Scores that become probabilities between two stores. */
  static final int CHUNK = 32;
  private static final int COLUMN_BYTES = 4;

  /**
   * The types and factors of e4m3 operands.
   *
   * @param blockScaled whether tensor cores multiply by scales of 32 neighbours (mxf8); otherwise factors are FP32
   * @param output type of O
   * @param probabilities type that P is rounded to: e4m3 or e5m2
   * @param queries rows of Q that share a factor
   * @param keys rows of K that do, a multiple of a block's; likewise {@code values}
   */
  public record Quantized(boolean blockScaled, ElementType output, ElementType probabilities, int queries, int keys,
      int values) {
    static Quantized of(AttentionProblem.Quantized of) {
      return new Quantized(of.blockScaled(), of.output(), of.probabilities(), of.q().rows(), of.k().rows(),
          of.v().rows());
    }

    /** Whether all keys of a sequence and head share a factor of K. */
    boolean keysShareFactor() {
      return keys == Factors.WHOLE;
    }

    /** Whether all keys of a sequence and head share a factor of V. */
    boolean valuesShareFactor() {
      return values == Factors.WHOLE;
    }

    /** Whether a block of so many keys has one factor of K and one of V. */
    boolean haveFactorPerBlock(int ofKeys) {
      return (keysShareFactor() || keys % ofKeys == 0) && (valuesShareFactor() || values % ofKeys == 0);
    }
  }

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

    /** Whether a problem's head dimensions are not larger. */
    boolean covers(AttentionProblem.Sizes sizes) {
      return sizes.headDim() <= headDim && sizes.valueDim() <= valueDim;
    }

    /** The shape whose exponentials are all computed by {@code ex2}. */
    Shape withoutEmulation() {
      return new Shape(headDim, valueDim, keys, stages, 0);
    }
  }

  /**
   * Whether O goes through shared memory in Q's place, since both do not fit. 8-bit Q has half of the bytes, and both
   * fit.
   */
  boolean outputReplacesQueries() {
    return quantized.isEmpty() && shape.headDim > Shape.ROOMY;
  }

  /** Whether tensor cores multiply Q, K and V by scales. */
  boolean blockScaled() {
    return quantized.filter(Quantized::blockScaled).isPresent();
  }

  /** The format of Q, K and V, such as {@code mxf8}. */
  String format() {
    return blockScaled() ? Format.MXF8.text() : type.text();
  }

  /** Blocks of keys that share a tile of scales. */
  int blocksPerScales() {
    return blockScaled() ? ScaleCopy.ROWS / shape.keys : 1;
  }

  /** Tiles of scales along the head dimension of Q and K. */
  int scaleTiles() {
    return Math.ceilDiv(shape.headDim, Mxf8Scales.COLUMNS);
  }

  /** The type of O. */
  ElementType output() {
    return quantized.map(Quantized::output).orElse(type);
  }

  /** The type that P is rounded to. */
  ElementType probabilities() {
    return quantized.map(Quantized::probabilities).orElse(type);
  }

  /** Columns of Tensor Memory that P of so many keys takes. */
  int columnsOfP(int keys) {
    return keys * probabilities().bytes() / COLUMN_BYTES;
  }

  int queries() {
    return TILES * ROWS;
  }

  /**
   * Registers of a softmax thread. With cluster launch control it leaves more to the other roles, and most where these
   * also keep lists of blocks, or bounds of a sequence and a window, and wait for O to leave Q's place. With a score
   * function and a mask together, ptxas 13.0 spills less in fewer registers, as with block lists for a mask in a window
   * at head dimension 96: there it spills nothing in 168 or 184, but 112 bytes in 176. mxf8 without lists is an
   * exception, except packed sequences of wide heads: in 184 it spills nothing, in 176 up to 68 bytes.
   */
  int softmaxRegisters() {
    boolean bounds = blockMask || packed && band.left().isPresent();
    if (cancelling && outputReplacesQueries() && bounds) return 160;
    boolean functions = modification.score().isPresent() && modification.mask().isPresent();
    boolean listedWindow = blockMask && !functions && modification.mask().isPresent() && band.left().isPresent();
    if (listedWindow && shape.headDim == 96 && quantized.isEmpty() && !cancelling) return 168;
    boolean roomy = blockScaled() && !(packed && shape.headDim > Shape.ROOMY);
    return blockMask || cancelling || functions && !roomy ? 176 : 184;
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
    return new BoxedTensors(type, output(), packed, HeadPacking.NONE, values);
  }

  /** The coordinates at which boxes of these begin. */
  TileCoordinates coordinates(Scope k) {
    return new TileCoordinates(k, packed, HeadPacking.NONE, values);
  }

  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, ROWS, shape.headDim, TILES);
  }

  OffsetMap layoutO() {
    return SwizzledRows.alongColumns(output(), ROWS, shape.valueDim, TILES);
  }

  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, shape.keys, shape.headDim, shape.stages);
  }

  /** V's layout, in the same stages as K. */
  OffsetMap layoutV() {
    var one = values == ValueOrder.COLUMN_MAJOR ? SwizzledRows.alongColumns(type, shape.valueDim, shape.keys, 1)
        : SwizzledRows.alongRows(type, shape.valueDim, shape.keys, 1);
    return one.with(Layout.of(one.layout().mode(0), one.layout().mode(1),
        Layout.of(shape.stages, (long) shape.headDim * shape.keys)));
  }

  /** Whether the softmax takes scores as they are, where no band masks them. */
  boolean leavesScores() {
    return modification.score().isEmpty() && (modification.mask().isEmpty() || blockMask);
  }
}
