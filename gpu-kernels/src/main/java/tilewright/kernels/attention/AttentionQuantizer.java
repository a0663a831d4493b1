package tilewright.kernels.attention;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.Hadamard;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.HeadQuantizer.Tables;
import tilewright.reference.Rotation;
import tilewright.reference.TensorView;

/**
 * Quantises Q, K and V on the host to e4m3 codes and their factors:
 *
 * <pre>{@code
 * var operands = AttentionQuantizer.perHead(ElementType.BF16).hadamard(7).quantize(sizes, q, k, v, arena);
 * var launch = Attention.forward(operands.quantized(), sizes).prepare(AttentionKernels.builtIn().of(90));
 * }</pre>
 *
 * <p>Element ≈ code · factor, as {@link HeadQuantizer} defines it. With {@link #hadamard} columns of Q and K get random
 * signs and a Hadamard transform before they are rounded; their products stay the same.
 *
 * @param output type of O: f16 or bf16
 * @param scales the elements that share a factor
 * @param rows rows of a head that share a factor; read with {@link Scales#BLOCK}
 * @param seed the seed of the random signs, where Q and K are transformed
 */
public record AttentionQuantizer(ElementType output, Scales scales, int rows, OptionalLong seed) {
  /** Bytes that codes and factors are aligned to: enough for every kernel's copies. */
  private static final int ALIGNMENT = 256;

  /** The elements that share a factor. */
  public enum Scales {
    /** All of Q, of K or of V. */
    TENSOR,
    /** Those of a head of a batch entry; of packed sequences, those of a head of all sequences. */
    HEAD,
    /** Those of a block of rows of a head. */
    BLOCK
  }

  public AttentionQuantizer {
    if (rows < 1) throw new IllegalArgumentException("a factor of " + rows + " rows: at least 1");
  }

  /** One factor for Q, one for K and one for V. */
  public static AttentionQuantizer perTensor(ElementType output) {
    return new AttentionQuantizer(output, Scales.TENSOR, Factors.WHOLE, OptionalLong.empty());
  }

  /** A factor for each head of each batch entry. */
  public static AttentionQuantizer perHead(ElementType output) {
    return new AttentionQuantizer(output, Scales.HEAD, Factors.WHOLE, OptionalLong.empty());
  }

  /** A factor for each block of {@code rows} rows of each head. */
  public static AttentionQuantizer perBlock(ElementType output, int rows) {
    return new AttentionQuantizer(output, Scales.BLOCK, rows, OptionalLong.empty());
  }

  /** Returns this with random signs of a seed and a Hadamard transform of Q and K. */
  public AttentionQuantizer hadamard(long signs) {
    return new AttentionQuantizer(output, scales, rows, OptionalLong.of(signs));
  }

  /**
   * Codes and factors.
   *
   * @param quantized the types, and the places of the factors
   * @param buffers Q, K and V with a code for each element at the same place, descaleQ, descaleK and descaleV
   */
  public record Operands(Quantized quantized, Map<String, MemorySegment> buffers) {
    public Operands {
      buffers = Map.copyOf(buffers);
    }
  }

  /**
   * Quantises arrays (B,S,H,D), the last mode contiguous.
   *
   * @param arena that the buffers live in
   * @throws IllegalArgumentException for arrays of other lengths, or a head dimension that cannot be transformed
   */
  public Operands quantize(Sizes sizes, float[] q, float[] k, float[] v, Arena arena) {
    return quantize(TensorView.rowMajor("Q", q, sizes.batch(), sizes.queries(), sizes.heads(), sizes.headDim()),
        TensorView.rowMajor("K", k, sizes.batch(), sizes.keys(), sizes.keyHeads(), sizes.headDim()),
        TensorView.rowMajor("V", v, sizes.batch(), sizes.keys(), sizes.keyHeads(), sizes.valueDim()), arena);
  }

  /**
   * Quantises tensors of four modes (B,S,H,D) with any strides.
   *
   * @param arena that the buffers live in
   */
  public Operands quantize(TensorView q, TensorView k, TensorView v, Arena arena) {
    var buffers = new HashMap<String, MemorySegment>();
    var quantized = new Quantized(output, ElementType.E4M3, operand("Q", q, seed, buffers, arena),
        operand("K", k, seed, buffers, arena), operand("V", v, OptionalLong.empty(), buffers, arena));
    return new Operands(quantized, buffers);
  }

  private Factors operand(String name, TensorView from, OptionalLong signs, Map<String, MemorySegment> buffers,
      Arena arena) {
    var heads = new Heads(from, signs);
    var codes = arena.allocate(Math.max(1, from.layout().cosize()), ALIGNMENT);
    var factors = heads.place("descale" + name, this);
    var values = scales == Scales.TENSOR ? heads.together(codes) : heads.apart(codes, rows);
    buffers.put(name, codes);
    var buffer = arena.allocate(Math.max(1, values.length) * (long) Float.BYTES, ALIGNMENT);
    MemorySegment.copy(values, 0, buffer, ValueLayout.JAVA_FLOAT, 0, values.length);
    buffers.put(factors.buffer(), buffer);
    return factors;
  }

  /**
   * The heads of a tensor (B,S,H,D).
   *
   * @param columns offsets of a row's elements
   */
  private record Heads(TensorView from, HeadQuantizer quantizer, Tables tables, long[] columns) {
    Heads(TensorView from, OptionalLong seed) {
      if (from.layout().rank() != 4) throw new IllegalArgumentException("not (B,S,H,D): " + from.layout());
      this(from, new HeadQuantizer(ElementType.E4M3, Rotation.NONE, seed.isPresent()), seed.isEmpty() ? Tables.NONE
          : new Tables(new float[0][], new float[0][], Hadamard.signs(seed.getAsLong(), extent(from, 3))),
          from.layout().mode(3).offsets());
    }

    private static int extent(TensorView from, int mode) {
      return Math.toIntExact(from.layout().mode(mode).size());
    }

    private int dim() {
      return columns.length;
    }

    /** The place of the factors; of one batch entry there is one row of them, which packed sequences share. */
    Factors place(String buffer, AttentionQuantizer how) {
      int heads = extent(from, 2);
      return switch (how.scales) {
        case TENSOR -> Factors.perTensor(buffer);
        case HEAD -> new Factors(buffer, Factors.WHOLE, 0, 1, extent(from, 0) == 1 ? 0 : heads);
        case BLOCK -> Factors.perBlock(buffer, heads, extent(from, 1), how.rows);
      };
    }

    /** Quantises with the factors of each head, (B,H,blocks). */
    float[] apart(MemorySegment codes, int block) {
      int blocks = Math.max(1, Math.ceilDiv(extent(from, 1), block));
      var factors = new float[extent(from, 0) * extent(from, 2) * blocks];
      forEach((index, head) -> {
        var result = quantizer.perBlock(values(head), dim(), tables, block);
        System.arraycopy(result.factors(), 0, factors, index * blocks, blocks);
        for (int s = 0; s < result.codes().length; s++) store(codes, head, s, result.codes()[s]);
      });
      return factors;
    }

    /** Quantises with one factor. */
    float[] together(MemorySegment codes) {
      float[] largest = {0};
      forEach((_, head) -> {
        var rows = quantizer.stepwise(values(head), tables);
        largest[0] = Math.max(largest[0], HeadQuantizer.largest(rows, 0, rows.length));
      });
      float inverse = quantizer.inverse(largest[0]);
      forEach((_, head) -> {
        var rows = quantizer.stepwise(values(head), tables);
        var row = new double[dim()];
        for (int s = 0; s < rows.length; s++) {
          quantizer.round(rows[s], inverse, row);
          store(codes, head, s, row);
        }
      });
      return new float[] {quantizer.factor(largest[0], dim())};
    }

    private interface Head {
      /**
       * @param index of the head among those of all entries
       * @param place of its first element
       */
      void apply(int index, long place);
    }

    private void forEach(Head body) {
      for (int b = 0; b < extent(from, 0); b++) {
        for (int h = 0; h < extent(from, 2); h++) {
          body.apply(b * extent(from, 2) + h, from.layout().mode(0).apply(b) + from.layout().mode(2).apply(h));
        }
      }
    }

    private double[][] values(long head) {
      var rows = new double[extent(from, 1)][columns.length];
      for (int s = 0; s < rows.length; s++) {
        long row = head + from.layout().mode(1).apply(s);
        for (int d = 0; d < columns.length; d++) rows[s][d] = from.valueAt(row + columns[d]);
      }
      return rows;
    }

    private void store(MemorySegment codes, long head, int s, double[] row) {
      long place = head + from.layout().mode(1).apply(s);
      for (int d = 0; d < columns.length; d++) {
        long bits = ElementType.E4M3.fromDouble(row[d], Rounding.NEAREST_EVEN);
        codes.set(ValueLayout.JAVA_BYTE, place + columns[d], (byte) bits);
      }
    }
  }
}
