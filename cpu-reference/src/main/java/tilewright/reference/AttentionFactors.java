package tilewright.reference;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.numerics.TensorCoreModel;

/**
 * The meaning of 8-bit Q, K and V: each code stands for itself times a factor, which a block of rows of a head shares.
 * Kernels sum products of codes and multiply by the factors afterwards (FlashAttention-3, section 3.3). They round
 * 2⁸ · P to 8 bits, because a probability of at most 1 would leave the upper half of the range empty, and take keys in
 * tiles, the last one first; a tile's P refers to some {@link ReferenceScore}.
 *
 * @param scales that tensor cores multiply by, of mxf8 operands
 * @param probabilities type that 2⁸ · P is rounded to: E4M3 or E5M2
 * @param output type of O
 * @param tile keys of a tile
 * @param tensorCores whose sums a step-by-step computation makes
 * @param together tiles whose P·V they sum; the results are added to O in FP32
 * @param split keys of each range whose O and logarithm stand by themselves and are merged at the end, or all
 * @param reference of a tile's P
 */
public record AttentionFactors(Blocks q, Blocks k, Blocks v, Optional<BlockScales> scales, ElementType probabilities,
    ElementType output, int tile, TensorCores tensorCores, int together, int split, ReferenceScore reference) {
  /** Keys of a tile where nothing else is said. */
  public static final int TILE = 128;
  /** Tensor cores sum P·V of all tiles; all keys are one range. */
  public static final int ALL = Integer.MAX_VALUE;

  private static final int PROBABILITY_EXPONENT = 8;

  /** The reference of a tile's P, which is e^(score − reference). */
  public enum ReferenceScore {
    /** The tile's own largest score, or 16 · ln 2 below the row's largest so far if that is more. */
    OF_TILE,
    /** The row's largest score so far. */
    OF_ROW,
    /**
     * The first tile's largest score. Where a quarter of a tile's P, a thread's part, adds up to more than 448/2⁸, the
     * reference rises by a multiple of ln 2, to a sum of about 1/2. O is divided by the sum of the rounded P.
     */
    OF_TILES_BEFORE
  }

  public AttentionFactors {
    AttentionReference.require(tile > 0, "a tile has a positive number of keys, not " + tile);
    AttentionReference.require(together > 0, "P·V of a positive number of tiles is summed, not of " + together);
    AttentionReference.require(split > 0, "a range has a positive number of keys, not " + split);
  }

  /** Factors of rows, without scales that tensor cores multiply by. */
  public AttentionFactors(Blocks q, Blocks k, Blocks v, ElementType probabilities, ElementType output, int tile,
      TensorCores tensorCores) {
    this(q, k, v, Optional.empty(), probabilities, output, tile, tensorCores, ALL, ALL, ReferenceScore.OF_TILE);
  }

  /** Scales of mxf8 operands. */
  public AttentionFactors(BlockScales scales, ElementType probabilities, ElementType output, int tile,
      TensorCores tensorCores) {
    this(scales.ones(scales.q), scales.ones(scales.k), scales.ones(scales.v), Optional.of(scales), probabilities,
        output, tile, tensorCores, ALL, ALL, ReferenceScore.OF_TILE);
  }

  /** Factors of operands whose O is of a type, with P in E4M3, the usual tiles and sums in FP32. */
  public AttentionFactors(Blocks q, Blocks k, Blocks v, ElementType output) {
    this(q, k, v, ElementType.E4M3, output, TILE, TensorCores.FP32);
  }

  /** Returns these factors with P·V of some tiles summed by tensor cores before it is added to O in FP32. */
  public AttentionFactors promoted(int tiles) {
    return new AttentionFactors(q, k, v, scales, probabilities, output, tile, tensorCores, tiles, split, reference);
  }

  /** Returns these factors with keys in ranges of that many. */
  public AttentionFactors split(int keys) {
    return new AttentionFactors(q, k, v, scales, probabilities, output, tile, tensorCores, together, keys, reference);
  }

  /** Returns these factors with P of a tile referring to something else. */
  public AttentionFactors with(ReferenceScore other) {
    return new AttentionFactors(q, k, v, scales, probabilities, output, tile, tensorCores, together, split, other);
  }

  /** The arithmetic of sums of products. */
  public enum TensorCores {
    /** FP32, one product after the other. */
    FP32,
    /** That of {@code mma.sync} on SM89, whose sums of 8-bit products keep 13 fraction bits. */
    SM89,
    /** That of {@code wgmma}, whose sums of 8-bit products keep 13 fraction bits. */
    SM90,
    /** That of {@code tcgen05.mma}. */
    SM100;

    private Optional<TensorCoreModel> model(ElementType a, ElementType b) {
      return switch (this) {
        case FP32 -> Optional.empty();
        case SM89 -> Optional.of(TensorCoreModel.mmaOfBytes(89, a, b));
        case SM90 -> Optional.of(TensorCoreModel.wgmma(a, b));
        case SM100 -> Optional.of(TensorCoreModel.tcgen05(a, b));
      };
    }
  }

  /**
   * The factors of one operand.
   *
   * @param values (B, blocks, heads), any strides: 0 where entries share one
   * @param rows of a sequence that a factor is of
   */
  public record Blocks(TensorView values, int rows) {
    public Blocks {
      AttentionReference.require(values.layout().rank() == 3, "factors have three modes");
      AttentionReference.require(rows > 0, "a factor is of a positive number of rows, not " + rows);
    }

    private void requireFit(TensorView operand, String name) {
      int blocks = Math.max(1, Math.ceilDiv(AttentionReference.extent(operand, 1), rows));
      int[] expected = {AttentionReference.extent(operand, 0), blocks, AttentionReference.extent(operand, 2)};
      for (int mode = 0; mode < expected.length; mode++) {
        int extent = AttentionReference.extent(values, mode);
        AttentionReference.require(extent == expected[mode],
            "factors of " + name + " have extent " + expected[mode] + " in mode " + mode + ", not " + extent);
      }
    }

    double of(int batch, int row, int head) {
      return values.value(batch + (long) AttentionReference.extent(values, 0)
          * (row / rows + (long) AttentionReference.extent(values, 1) * head));
    }
  }

  /**
   * Scales of 32 neighbours along the contraction, powers of two (OCP Microscaling Formats, MXFP8).
   *
   * @param q (B,Sq,H,⌈D/32⌉)
   * @param k (B,Sk,Hk,⌈D/32⌉)
   * @param v (B,⌈Sk/32⌉,Hk,Dv)
   */
  public record BlockScales(TensorView q, TensorView k, TensorView v) {
    /** Neighbours that share a scale. */
    public static final int NEIGHBOURS = 32;

    /** A factor of one for all rows of an operand. */
    private Blocks ones(TensorView of) {
      var one = MemorySegment.ofArray(new double[] {1});
      var layout = new Layout(IntTuple.flat(AttentionReference.extent(of, 0), 1, AttentionReference.extent(of, 2)),
          IntTuple.flat(0, 0, 0));
      return new Blocks(new TensorView(ElementType.F64, one, layout), Integer.MAX_VALUE);
    }

    /** Codes times scales, in the order of {@link AttentionReference#rows}. */
    AttentionReference.Operands times(AttentionReference.Operands codes, int batches) {
      return new AttentionReference.Operands(alongColumns(codes.q(), q), alongColumns(codes.k(), k),
          alongKeys(codes.v(), batches));
    }

    private static double[][] alongColumns(double[][] codes, TensorView scales) {
      var ofRows = AttentionReference.rows(scales);
      var values = new double[codes.length][];
      for (int row = 0; row < codes.length; row++) {
        values[row] = codes[row].clone();
        for (int d = 0; d < codes[row].length; d++) values[row][d] *= ofRows[row][d / NEIGHBOURS];
      }
      return values;
    }

    private double[][] alongKeys(double[][] codes, int batches) {
      var ofBlocks = AttentionReference.rows(v);
      int blocks = AttentionReference.extent(v, 1);
      int heads = AttentionReference.extent(v, 2);
      int keys = heads == 0 || batches == 0 ? 0 : codes.length / heads / batches;
      var values = new double[codes.length][];
      for (int row = 0; row < codes.length; row++) {
        int key = row / batches % keys;
        int head = row / batches / keys;
        var scales = ofBlocks[row % batches + batches * (key / NEIGHBOURS + blocks * head)];
        values[row] = codes[row].clone();
        for (int d = 0; d < codes[row].length; d++) values[row][d] *= scales[d];
      }
      return values;
    }
  }

  void requireFit(TensorView ofQ, TensorView ofK, TensorView ofV) {
    q.requireFit(ofQ, "Q");
    k.requireFit(ofK, "K");
    v.requireFit(ofV, "V");
  }

  /** The arithmetic of a kernel: FP32 accumulators, P and O rounded to their types. */
  Precision precision() {
    return Precision.fp32(probabilities, PROBABILITY_EXPONENT, output);
  }

  /** The GEMMs of the tensor cores, where they are modelled. */
  Optional<AttentionGemms> gemms(AttentionReference attention) {
    if (scales.isPresent()) {
      return tensorCores == TensorCores.SM100 ? Optional.of(new ScaledAttentionGemms(attention, scales.get(),
          probabilities, Math.scalb(1.0, -PROBABILITY_EXPONENT), tile)) : Optional.empty();
    }
    return tensorCores.model(probabilities, attention.v().type()).map(forValues ->
        new AttentionGemms.OnTensorCores(attention, tensorCores.model(attention.q().type(), attention.k().type())
            .orElseThrow(), forValues, Math.scalb(1.0, -PROBABILITY_EXPONENT), tile));
  }
}
