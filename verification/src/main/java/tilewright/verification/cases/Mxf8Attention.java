package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors.BlockScales;
import tilewright.reference.TensorView;
import tilewright.sm100.attention.Mxf8Scales;

/** Attention of mxf8 operands: the problems of 16-bit operands, with a scale for 32 neighbours. */
public final class Mxf8Attention {
  /** Rows of a tile of scales, each of {@link #SCALES}. */
  private static final int TILE = 128;
  private static final int SCALES = 4;
  private static final int NAN = 0xFF;
  private static final int BIAS = 127;
  /** The last exponent: any number but NaN stands for zeros that nothing may depend on. */
  private static final byte UNUSED = (byte) 0xFE;

  private Mxf8Attention() {}

  /** Problems small enough for the simulator. */
  public static List<AttentionCases.Setup> small() {
    var all = new ArrayList<AttentionCases.Setup>();
    AttentionCases.small().stream().filter(QuantizedAttention::isAligned).map(Mxf8Attention::scaled).forEach(all::add);
    for (var band : List.of(Band.ALL, Band.CAUSAL, Band.window(150, 20))) {
      all.add(scaled(AttentionCases.band(ElementType.BF16, new Sizes(1, 300, 300, 2, 1, 128, 128), band)));
    }
    all.add(scaled(AttentionCases.band(ElementType.F16, new Sizes(2, 140, 290, 2, 2, 64, 64), Band.ALL)));
    all.add(scaled(AttentionCases.band(ElementType.BF16, new Sizes(1, 40, 70, 2, 1, 48, 80), Band.ALL)));
    for (int dim : new int[] {96, 128}) all.add(scaled(AttentionCases.packed(dim)));
    all.add(scaled(AttentionCases.packed(2, 2, 128)));
    all.add(strided(AttentionCases.band(ElementType.BF16, new Sizes(2, 150, 200, 2, 2, 64, 64), Band.CAUSAL)));
    return all;
  }

  /** P in e5m2, scales of Q block by block of all heads, and batch entries that share those of K and V. */
  private static AttentionCases.Setup strided(AttentionCases.Setup setup) {
    var dense = Mxf8Scales.of(setup.problem().type(), setup.problem().sizes());
    long heads = setup.problem().sizes().heads();
    long blocks = dense.q().batch() / dense.q().block() / heads;
    return QuantizedAttention.quantized(setup.named(setup.name() + ", P in e5m2, strided scales"), new Quantized(
        dense.format(), dense.output(), ElementType.E5M2,
        new Factors("scaleQ", Mxf8Scales.ROWS, TILE * SCALES * heads, TILE * SCALES, TILE * SCALES * heads * blocks),
        shared(dense.k()), shared(dense.v())));
  }

  private static Factors shared(Factors scales) {
    return new Factors(scales.buffer(), scales.rows(), scales.block(), scales.head(), 0);
  }

  /** Problems that only a GPU computes in reasonable time. */
  static List<AttentionCases.Setup> large() {
    return AttentionCases.large().stream().map(Mxf8Attention::scaled).toList();
  }

  /** A problem of 16-bit operands in mxf8; O keeps its type. */
  public static AttentionCases.Setup scaled(AttentionCases.Setup setup) {
    var p = setup.problem();
    return QuantizedAttention.quantized(setup, p.packed()
        .map(packed -> Mxf8Scales.ofPacked(p.type(), p.sizes(), packed.sequences()))
        .orElseGet(() -> Mxf8Scales.of(p.type(), p.sizes())));
  }

  /** Adds random scales; those of rows and columns that do not exist are as large as can be. */
  static void drawScales(AttentionCases.Setup setup, Map<String, MemorySegment> buffers, long seed) {
    var p = setup.problem();
    var s = p.sizes();
    var quantized = p.quantized().orElseThrow();
    for (var scales : List.of(quantized.q(), quantized.k(), quantized.v())) {
      long bytes = Math.max(scales.batch() * s.batch(), scales.head() * Math.max(s.heads(), s.keyHeads()));
      buffers.put(scales.buffer(), Buffers.zeros(ElementType.I8, Math.max(1, bytes)).fill(UNUSED));
    }
    AttentionCases.lengths(setup, buffers);
    var random = new SplittableRandom(seed);
    for (var sequence : AttentionSequence.of(p, buffers)) {
      for (var operand : operands(sequence)) {
        operand.forEach((_, place) -> buffers.get(operand.scales.buffer()).set(ValueLayout.JAVA_BYTE, place,
            (byte) (BIAS - 3 + random.nextInt(5))));
      }
    }
  }

  /** The scales of a sequence for the reference. */
  static BlockScales scales(AttentionSequence sequence, Map<String, MemorySegment> in) {
    var all = operands(sequence).stream().map(operand -> operand.values(in)).toList();
    return new BlockScales(all.get(0), all.get(1), all.get(2));
  }

  private static List<Operand> operands(AttentionSequence s) {
    var sizes = s.problem().sizes();
    var of = s.problem().quantized().orElseThrow();
    return List.of(new Operand(s, of.q(), s.firstQuery(), s.queries(), sizes.heads(), sizes.headDim(), false),
        new Operand(s, of.k(), s.firstKey(), s.keys(), sizes.keyHeads(), sizes.headDim(), false),
        new Operand(s, of.v(), s.firstKey(), s.keys(), sizes.keyHeads(), sizes.valueDim(), true));
  }

  /**
   * The scales of an operand of a sequence.
   *
   * @param transposed whether neighbours that share a scale are rows
   */
  private record Operand(AttentionSequence sequence, Factors scales, int first, int rows, int heads, int columns,
      boolean transposed) {

    private interface Body {
      void accept(int index, long place);
    }

    /** Goes through all scales, (B, rows, heads, columns) with batch entries fastest. */
    void forEach(Body body) {
      int index = 0;
      for (int column = 0; column < scaleColumns(); column++) {
        for (int head = 0; head < heads; head++) {
          for (int row = 0; row < scaleRows(); row++) {
            for (int batch = 0; batch < batches(); batch++) body.accept(index++, place(batch, row, head, column));
          }
        }
      }
    }

    private int batches() {
      return sequence.problem().sizes().batch();
    }

    private int scaleRows() {
      return transposed ? Math.ceilDiv(rows, BlockScales.NEIGHBOURS) : rows;
    }

    private int scaleColumns() {
      return transposed ? columns : Math.ceilDiv(columns, BlockScales.NEIGHBOURS);
    }

    /** The byte of a scale. */
    private long place(int batch, int row, int head, int column) {
      int inTile = transposed ? column % TILE : row % TILE;
      int along = transposed ? row : column;
      long block = (transposed ? row / SCALES : row / TILE)
          + (sequence.problem().packed().isPresent() ? first / TILE + sequence.index() : 0);
      long tile = transposed ? column / TILE : column / SCALES;
      return batch * scales.batch() + head * scales.head() + block * scales.block() + tile * TILE * SCALES
          + inTile % 32 * 16 + inTile / 32 * SCALES + along % SCALES;
    }

    TensorView values(Map<String, MemorySegment> in) {
      var numbers = new double[Math.max(1, batches() * scaleRows() * heads * scaleColumns())];
      forEach((index, place) -> {
        int exponent = in.get(scales.buffer()).get(ValueLayout.JAVA_BYTE, place) & 0xFF;
        numbers[index] = exponent == NAN ? Double.NaN : Math.scalb(1.0, exponent - BIAS);
      });
      return new TensorView(ElementType.F64, MemorySegment.ofArray(numbers),
          Layout.columnMajor(batches(), scaleRows(), heads, scaleColumns()));
    }
  }
}
