package tilewright.sm90.attention;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.async.atom.ByteTranspose;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.attention.BoxedTensors;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.Accumulation;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.ValueOrder;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parameters that are fixed when Hopper attention is traced.
 *
 * @param type element type of Q, K and V: f16 or bf16, which O has too, or e4m3
 * @param shape extents of tiles, and warpgroups
 * @param band the keys that a query attends to, by distance
 * @param modification the change of scores
 * @param packed whether sequences lie one after the other, bounded by cumulated lengths
 * @param blockMask whether blocks of keys come from lists
 * @param statistics of the rows that are stored; splits leave logarithms where these are none
 * @param sinks whether a logit of each head takes part in its rows' softmax here, not where splits are merged
 * @param packing how heads that read the same keys share tiles, if they do
 * @param quantized what 8-bit operands need, which 16-bit ones do not
 * @param values the order of V in memory
 * @param split whether keys are split, so that results are states to be merged
 * @param lengths whether the launch reads how many keys a batch entry has
 * @param padded whether the launch reads how many rows come before a batch entry's first key
 * @param pages what is known of the pages, where keys lie in pages
 */
public record Sm90AttentionConfig(ElementType type, Shape shape, Band band, Modification modification,
    boolean packed, boolean blockMask, Statistics statistics, boolean sinks, HeadPacking packing,
    Optional<Quantized> quantized, ValueOrder values, boolean split, boolean lengths,
    boolean padded, Optional<CachePages> pages) {
  /** Warps that transpose V, which wgmma reads along the keys if it has 8 bits; one alone would be the limit. */
  static final int TRANSPOSING = 2;
  /** The largest head dimension of 16-bit operands at which nothing is spilled. */
  private static final int NARROW_DIM = 96;
  /** The most columns of O that leave consumers registers for what they compute themselves. */
  private static final int ROOMY_DIM = 128;
  /** Parts of V that such a warp transposes at a time. */
  private static final int TRANSPOSED_TOGETHER = 2;

  /**
   * The types and factors of e4m3 operands.
   *
   * @param output type of O
   * @param probabilities type that P is rounded to
   * @param accumulation of P·V over the blocks
   * @param queries rows of Q that share a factor
   * @param keys rows of K that do; a block of keys has one factor
   * @param values rows of V that do; likewise
   */
  public record Quantized(ElementType output, ElementType probabilities, Accumulation accumulation, int queries,
      int keys, int values) {
    static Quantized of(AttentionProblem.Quantized q) {
      return new Quantized(q.output(), q.probabilities(), q.accumulation(), q.q().rows(), q.k().rows(), q.v().rows());
    }
  }

  /**
   * Pages of a cache.
   *
   * @param rows of a page, or none where the launch says
   * @param part rows that surely lie one after the other: rows of a page are a multiple
   */
  public record CachePages(OptionalInt rows, int part) {
    /** Pages with this number of rows. */
    public CachePages(int rows) {
      this(OptionalInt.of(rows), rows);
    }
  }

  /**
   * Tiles and warpgroups.
   *
   * @param headDim head dimension of Q and K in tiles; {@code valueDim} that of V and O
   * @param consumers warpgroups that multiply, each with 64 queries
   * @param keys keys of a block
   * @param stages blocks of K, and of V, in shared memory
   * @param ahead tiles of Q in shared memory: with two, the next is there before this is done
   * @param columns of O that a warpgroup stores at once, by shared memory of their own; 0 where all take Q's place
   * @param turns whether warpgroups alternate at issuing MMAs (ping-pong)
   * @param anticipates whether a block's P refers to the largest scores of the blocks before, not to its own
   */
  public record Shape(int headDim, int valueDim, int consumers, int keys, int stages, int ahead, int columns,
      boolean turns, boolean anticipates) {
    /** A shape whose blocks wait for their largest scores. */
    public Shape(int headDim, int valueDim, int consumers, int keys, int stages, int ahead, int columns,
        boolean turns) {
      this(headDim, valueDim, consumers, keys, stages, ahead, columns, turns, false);
    }

    public Shape {
      if (columns == 0 && (ahead > 1 || headDim != valueDim) || columns > 0 && valueDim % columns != 0) {
        throw new IllegalArgumentException("no attention stores " + columns + " of " + valueDim + " columns with "
            + ahead + " tiles of Q: a divisor, or 0 with one tile of Q and equal head dimensions");
      }
    }

    int threads() {
      return Warpgroup.SIZE * (consumers + 1);
    }

    /** Rows of a tile. */
    int rows() {
      return WgmmaAtom.M * consumers;
    }
  }

  /** Registers of a producer's thread: with the consumers' no more than the CTA begins with. */
  int producerRegisters() {
    // A single consumer leaves plenty.
    if (pages.isPresent() && shape.consumers == 1) return 104;
    return (shape.consumers == 3 ? 32 : 40) + shape.consumers * lent();
  }

  int consumerRegisters() {
    return (shape.consumers == 3 ? 160 : 232) - lent();
  }

  /** Registers that each consumer lends to the producer, which reads lists or pages, or transposes V beside it. */
  private int lent() {
    if (pages.isPresent() && shape.consumers == 2) return 16;
    if (!transposesValues()) return blockMask || pages.isPresent() && shape.consumers > 1 ? 8 : 0;
    if (shape.consumers == 3 && shape.valueDim > 96) return 0;
    return blockMask ? 32 / shape.consumers : 8;
  }

  /** Page numbers that the producer reads ahead, as its registers allow. */
  int pagesTogether() {
    return shape.consumers == 1 ? 8 : transposesValues() ? 1 : 2;
  }

  /** Whether threads transpose V: wgmma reads 8-bit operands with neighbours along k only, which are keys of P·V. */
  boolean transposesValues() {
    return quantized.isPresent() && values == ValueOrder.ROW_MAJOR;
  }

  /** How V is transposed: column by column, a part at a time, by warps that are lent no registers. */
  ByteTranspose transpose() {
    return new ByteTranspose(TRANSPOSING, lent() > 0 ? TRANSPOSED_TOGETHER : 1, lent() > 0);
  }

  /** Whether P is rounded while that of the block before is multiplied: three warpgroups have no registers for both. */
  boolean roundsBeside() {
    return shape.consumers < 3;
  }

  /**
   * Whether O is rescaled only where some row of the warp has a larger maximum: with wide rows of O, that saves more
   * than it costs to find out. Else each block of keys has a reference of its own, with more exact probabilities.
   */
  boolean rescalesSeldom() {
    return quantized.isPresent() && (shape.anticipates || shape.valueDim > 96) && !promotes();
  }

  /** Whether the P·V of each block is added to O in FP32. */
  boolean promotes() {
    return quantized.filter(q -> q.accumulation == Accumulation.PROMOTED).isPresent();
  }

  /**
   * Whether threads find their places in tiles anew for each block and each tile's O. Functions that read numbers for
   * each score need the registers that ptxas would keep these in. At head dimension 128 a function alone of 16-bit
   * operands has room for them, and would spill 4 bytes behind a diagonal otherwise. Scores that stay until the sums of
   * P are known need these registers, too.
   */
  boolean placesAnew() {
    boolean alone = modification.mask().isEmpty() && !blockMask && !packed && band.left().isEmpty();
    boolean roomy = alone && quantized.isEmpty() && shape.headDim == 128;
    return shape.anticipates || modification.captures().perScore() && !roomy;
  }

  /**
   * Whether threads find the places of their rows' statistics when they store these, and keep them in no registers
   * before.
   */
  boolean storesLate() {
    return shape.anticipates || transposesValues() && shape.consumers == 3 && shape.valueDim > 96 && shape.ahead > 1;
  }

  /**
   * Whether the producer computes for itself what the launch alone decides, such as strides in bytes. Otherwise the
   * kernel's first instructions do, for all warps, and where functions read numbers for each score ptxas spills it
   * there: mostly of functions that read two, or beside lists of packed sequences, or of two functions.
   */
  boolean producerComputesAnew() {
    int tensors = modification.captures().tensorsPerScore();
    // With wide rows of O, operands of 8 bits spill as much either way.
    if (tensors == 0 || quantized.isPresent() && shape.valueDim > ROOMY_DIM) return false;
    if (blockMask && tensors > 1) return shape.headDim > NARROW_DIM;
    boolean wide = quantized.isPresent() ? shape.headDim > ROOMY_DIM : shape.valueDim > ROOMY_DIM;
    if (!wide) return false;
    boolean both = modification.score().isPresent() && modification.mask().isPresent();
    return blockMask ? packed : both && (packed || band.left().isEmpty());
  }

  /** Whether consumers do so too. With lists of blocks, wide rows of O leave them no registers for it. */
  boolean consumersComputeAnew() {
    return producerComputesAnew() && !(blockMask && shape.valueDim > ROOMY_DIM);
  }

  /** Threads of which one releases keys: every warp, where it reads the block's number beside them. */
  int releasing() {
    return blockMask ? Warp.SIZE : Warpgroup.SIZE;
  }

  /** Whether where keys lie depends on what the launch reads. */
  boolean scatters() {
    return lengths || pages.isPresent();
  }

  /** Keys of a block that surely lie one after the other. */
  int partOfBlock() {
    return pages.map(p -> BigInteger.valueOf(p.part).gcd(BigInteger.valueOf(shape.keys)).intValue())
        .orElse(shape.keys);
  }

  /** Queries of a tile. */
  int queries() {
    return shape.rows() / packing.stride();
  }

  /** The type of O. */
  ElementType output() {
    return quantized.map(Quantized::output).orElse(type);
  }

  /** The type that P is rounded to. */
  ElementType probabilities() {
    return quantized.map(Quantized::probabilities).orElse(type);
  }

  /** The tensors in global memory. */
  BoxedTensors tensors() {
    return new BoxedTensors(type, output(), packed, packing, values, packed || scatters());
  }

  /** The coordinates at which boxes of these begin. */
  TileCoordinates coordinates(Scope k) {
    return new TileCoordinates(k, packed, packing, values, packed || scatters());
  }

  /** A stage of Q is what a warpgroup has of a tile. */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, shape.headDim, shape.consumers * shape.ahead);
  }

  OffsetMap layoutO() {
    return SwizzledRows.alongColumns(output(), WgmmaAtom.M, shape.columns, shape.consumers);
  }

  /** K as tensor copies fill it: (key, column, stage) → place. */
  OffsetMap layoutK() {
    var column = Tiler.of(keysOfScores().rightInverse());
    return layoutOfOperandK().composition(Tiler.byMode(column, new Tiler.Keep(), new Tiler.Keep()));
  }

  /** K as Q·Kᵀ reads it, its rows in the order of {@link #keysOfScores}. */
  ComposedLayout layoutOfOperandK() {
    return SwizzledRows.alongColumns(type, shape.keys, shape.headDim, shape.stages);
  }

  /** V as tensor copies fill it, neighbours as in memory. */
  OffsetMap layoutV() {
    return values == ValueOrder.COLUMN_MAJOR
        ? SwizzledRows.alongColumns(type, shape.valueDim, shape.keys, shape.stages)
        : SwizzledRows.alongRows(type, shape.valueDim, shape.keys, shape.stages);
  }

  /** V as P·V reads it. */
  OffsetMap layoutOfOperandV() {
    return transposesValues() ? SwizzledRows.alongColumns(type, columnsOfOperandV(), shape.keys, shape.stages)
        : layoutV();
  }

  /** V's columns and, where O is divided by the sum of the rounded P, columns of ones that add it up. */
  int columnsOfOperandV() {
    return shape.valueDim + (shape.anticipates ? OutputSums.WithRowSums.ONES : 0);
  }

  /** The part of the operand of P·V that is transposed from V. */
  OffsetMap layoutOfTransposedV() {
    var columns = Tiler.of(Layout.of(shape.valueDim, 1));
    return SwizzledRows.alongColumns(type, columnsOfOperandV(), shape.keys, shape.stages)
        .composition(Tiler.byMode(columns, new Tiler.Keep(), new Tiler.Keep()));
  }

  /** The key of a block in each place along k of P·V. */
  Layout orderOfKeys() {
    return transposesValues() ? ByteTranspose.rowOfColumn(shape.keys) : Layout.of(shape.keys, 1);
  }

  /**
   * The key of a block in each column of S: its own, except where 8-bit V is not transposed, so that its keys are in
   * their own order in P·V. Then tensor copies fill the rows of K with every other key and with those between.
   */
  Layout keysOfScores() {
    return transposesValues() ? Layout.of(shape.keys, 1) : RegisterOperand.strided(atomOfScores(), atomOfOutput());
  }

  WgmmaAtom atomOfScores() {
    return new WgmmaAtom(type, shape.keys);
  }

  private WgmmaAtom atomOfOutput() {
    return new WgmmaAtom(probabilities(), type, shape.valueDim);
  }

  /** The ownership of O, whose columns are in the order of the rows of operand V. */
  Partition partitionOfOutput() {
    var atom = atomOfOutput();
    return transposesValues() ? atom.partition(ByteTranspose.columnOfRow(shape.valueDim)) : atom.partition();
  }
}
