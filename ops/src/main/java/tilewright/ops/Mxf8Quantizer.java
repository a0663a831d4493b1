package tilewright.ops;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionQuantizer.Operands;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.attention.Mxf8Scales;

/**
 * Quantises Q, K and V on the host to e4m3 codes with a scale, a power of two, for 32 neighbours along the contraction:
 *
 * <pre>{@code
 * var operands = new Mxf8Quantizer(ElementType.BF16).quantize(sizes, q, k, v, arena);
 * var launch = Attention.forward(operands.quantized(), sizes).prepare(AttentionKernels.builtIn().of(100));
 * }</pre>
 *
 * <p>{@link Mxf8Scales} has the order of the scales. A block with a number that is not finite has the scale NaN.
 *
 * @param output type of O: f16 or bf16
 * @param rule the rounding of scales
 */
public record Mxf8Quantizer(ElementType output, ScaleRule rule) {
  /** Bytes that codes and scales are aligned to: enough for every kernel's copies. */
  private static final int ALIGNMENT = 256;
  private static final int MODES = 4;

  /** Creates a quantizer whose scales are those of the OCP standard. */
  public Mxf8Quantizer(ElementType output) {
    this(output, ScaleRule.OCP);
  }

  /**
   * Quantises arrays (B,S,H,D), the last mode contiguous.
   *
   * @param arena that the buffers live in
   * @throws IllegalArgumentException for arrays of other lengths
   */
  public Operands quantize(Sizes s, float[] q, float[] k, float[] v, Arena arena) {
    return quantize(TensorView.rowMajor("Q", q, s.batch(), s.queries(), s.heads(), s.headDim()),
        TensorView.rowMajor("K", k, s.batch(), s.keys(), s.keyHeads(), s.headDim()),
        TensorView.rowMajor("V", v, s.batch(), s.keys(), s.keyHeads(), s.valueDim()), arena);
  }

  /**
   * Quantises tensors of four modes (B,S,H,D) with any strides. Codes lie where their elements do.
   *
   * @param arena that the buffers live in
   */
  public Operands quantize(TensorView q, TensorView k, TensorView v, Arena arena) {
    var s = sizes(q, k, v);
    int[] queries = {0, s.queries()};
    int[] keys = {0, s.keys()};
    return quantize(new Form(Mxf8Scales.of(output, s), queries, keys, false), q, k, v, arena);
  }

  /**
   * Quantises packed sequences, (1,S,H,D).
   *
   * @param queries their cumulated lengths, from 0 on; likewise {@code keys}
   * @param arena that the buffers live in
   * @throws IllegalArgumentException for cumulated lengths that do not rise from 0 to the number of rows
   */
  public Operands quantizePacked(TensorView q, TensorView k, TensorView v, int[] queries, int[] keys, Arena arena) {
    requireBounds(queries, extent(q, 1));
    requireBounds(keys, extent(k, 1));
    var form = new Form(Mxf8Scales.ofPacked(output, sizes(q, k, v), queries.length - 1), queries, keys, true);
    return quantize(form, q, k, v, arena);
  }

  private static void requireBounds(int[] bounds, int rows) {
    boolean rise = IntStream.range(1, bounds.length).allMatch(i -> bounds[i - 1] <= bounds[i]);
    if (bounds.length == 0 || !rise || bounds[0] != 0 || bounds[bounds.length - 1] != rows) {
      throw new IllegalArgumentException("cumulated lengths " + Arrays.toString(bounds) + " do not rise from 0 to "
          + rows);
    }
  }

  private static Sizes sizes(TensorView q, TensorView k, TensorView v) {
    for (var tensor : new TensorView[] {q, k, v}) {
      if (tensor.layout().rank() != MODES) throw new IllegalArgumentException("not (B,S,H,D): " + tensor.layout());
    }
    return new Sizes(extent(q, 0), extent(q, 1), extent(k, 1), extent(q, 2), extent(k, 2), extent(q, 3), extent(v, 3));
  }

  private static int extent(TensorView of, int mode) {
    return Math.toIntExact(of.layout().mode(mode).size());
  }

  /**
   * The sequences and the places of their scales.
   *
   * @param queries the rows at which sequences of Q begin, and the last one ends; likewise {@code keys}
   */
  private record Form(Quantized quantized, int[] queries, int[] keys, boolean packed) {}

  private Operands quantize(Form form, TensorView q, TensorView k, TensorView v, Arena arena) {
    var buffers = new HashMap<String, MemorySegment>();
    new Operand("Q", q, form.quantized.q(), form.queries, form.packed, false).quantize(rule, buffers, arena);
    new Operand("K", k, form.quantized.k(), form.keys, form.packed, false).quantize(rule, buffers, arena);
    new Operand("V", v, form.quantized.v(), form.keys, form.packed, true).quantize(rule, buffers, arena);
    return new Operands(form.quantized, buffers);
  }

  /**
   * An operand (B,S,H,D).
   *
   * @param bounds rows at which sequences begin, and the last one ends
   * @param alongRows whether neighbours that share a scale are rows
   */
  private record Operand(String name, TensorView from, Factors scales, int[] bounds, boolean packed,
      boolean alongRows) {

    void quantize(ScaleRule rule, Map<String, MemorySegment> buffers, Arena arena) {
      var format = NarrowFormat.named("mxf8").scaledBy(rule);
      var codes = arena.allocate(Math.max(1, from.layout().cosize()), ALIGNMENT);
      var places = arena.allocate(Math.max(1, scales.batch() * extent(from, 0)), ALIGNMENT);
      buffers.put(name, codes);
      buffers.put(scales.buffer(), places);
      for (int batch = 0; batch < extent(from, 0); batch++) {
        for (int head = 0; head < extent(from, 2); head++) {
          for (int i = 0; i + 1 < bounds.length; i++) quantize(format, batch, head, i, codes, places);
        }
      }
    }

    private void quantize(NarrowFormat format, int batch, int head, int sequence, MemorySegment codes,
        MemorySegment places) {
      int first = bounds[sequence];
      int count = bounds[sequence + 1] - first;
      if (count == 0) return;
      int dim = extent(from, 3);
      var values = new float[count * dim];
      for (int row = 0; row < count; row++) {
        for (int d = 0; d < dim; d++) {
          values[index(row, d, count)] = (float) from.valueAt(place(batch, first + row, head, d));
        }
      }
      var matrix = alongRows ? NarrowMatrix.quantize(format, dim, count, values)
          : NarrowMatrix.quantize(format, count, dim, values);
      for (int row = 0; row < count; row++) {
        for (int d = 0; d < dim; d++) {
          codes.set(ValueLayout.JAVA_BYTE, place(batch, first + row, head, d),
              matrix.elements()[alongRows ? d * matrix.layout().pitch() + row : row * matrix.layout().pitch() + d]);
        }
      }
      long begin = batch * scales.batch() + head * scales.head()
          + (packed ? PackedTiles.slots(first, sequence, Mxf8Scales.ROWS) * scales.block() : 0);
      copyTiles(matrix, MemorySegment.ofArray(matrix.scales()), places.asSlice(begin));
    }

    /** Copies tiles of scales, which a matrix has along k first, and a head block by block of its rows. */
    private void copyTiles(NarrowMatrix matrix, MemorySegment tiles, MemorySegment to) {
      int alongK = matrix.layout().tiles();
      for (int tile = 0; tile < alongK * matrix.layout().blockRows(); tile++) {
        int row = tile / alongK;
        int k = tile % alongK;
        long place = alongRows ? k * scales.block() + (long) row * ScaleCopy.BYTES
            : row * scales.block() + (long) k * ScaleCopy.BYTES;
        MemorySegment.copy(tiles, (long) tile * ScaleCopy.BYTES, to, place, ScaleCopy.BYTES);
      }
    }

    /** The place of an element in the rows of a matrix whose neighbours share scales. */
    private int index(int row, int d, int count) {
      return alongRows ? d * count + row : row * extent(from, 3) + d;
    }

    private long place(int batch, int row, int head, int d) {
      return from.layout().mode(0).apply(batch) + from.layout().mode(1).apply(row) + from.layout().mode(2).apply(head)
          + from.layout().mode(3).apply(d);
    }
  }
}
