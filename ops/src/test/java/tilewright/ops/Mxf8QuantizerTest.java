package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.sm100.ScaleRule;

/** Codes times scales, found by addresses of this test's own, against the numbers before quantisation. */
class Mxf8QuantizerTest {
  private static final double LARGEST = 448;
  /** The exponent of {@link #LARGEST}. */
  private static final int LARGEST_EXPONENT = 8;
  private static final int BIAS = 127;

  static Stream<Sizes> sizes() {
    return Stream.of(new Sizes(2, 5, 130, 4, 2, 48, 80), Sizes.of(1, 300, 33, 1, 128),
        new Sizes(1, 129, 64, 2, 1, 192, 128), Sizes.of(1, 0, 0, 1, 64), Sizes.of(0, 3, 4, 1, 64));
  }

  /** Numbers whose magnitude depends on the row and the column. */
  private static float[] numbers(int batch, int rows, int heads, int dim, long seed) {
    var random = new SplittableRandom(seed);
    var numbers = new float[batch * rows * heads * dim];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (float) Math.scalb(random.nextGaussian(), i / dim % 11 + i % dim / 16 - 6);
    }
    return numbers;
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void everyElementIsItsCodeTimesItsScale(Sizes s) {
    var q = numbers(s.batch(), s.queries(), s.heads(), s.headDim(), 1);
    var k = numbers(s.batch(), s.keys(), s.keyHeads(), s.headDim(), 2);
    var v = numbers(s.batch(), s.keys(), s.keyHeads(), s.valueDim(), 3);
    for (var rule : ScaleRule.values()) {
      try (var arena = Arena.ofConfined()) {
        var operands = new Mxf8Quantizer(ElementType.F16, rule).quantize(s, q, k, v, arena);
        var of = operands.quantized();
        assertEquals(ElementType.F16, of.output());
        var queries = new Sequence(0, 0, s.queries());
        var keys = new Sequence(0, 0, s.keys());
        check(operands.buffers(), "Q", of.q(), q, rule, s.queries(), s.heads(), s.headDim(), false, queries);
        check(operands.buffers(), "K", of.k(), k, rule, s.keys(), s.keyHeads(), s.headDim(), false, keys);
        check(operands.buffers(), "V", of.v(), v, rule, s.keys(), s.keyHeads(), s.valueDim(), true, keys);
      }
    }
  }

  /** Sequences of which one is empty and one has two blocks. */
  @Test
  void packedSequencesBeginWithBlocksOfTheirOwn() {
    int[] bounds = {0, 30, 30, 170, 175};
    var layout = new Layout(IntTuple.flat(1, 175, 2, 48), IntTuple.flat(0, 96, 48, 1));
    var numbers = numbers(1, 175, 2, 48, 4);
    var view = new TensorView(ElementType.F32, MemorySegment.ofArray(numbers), layout);
    try (var arena = Arena.ofConfined()) {
      var operands = new Mxf8Quantizer(ElementType.BF16).quantizePacked(view, view, view, bounds, bounds, arena);
      int[] blocks = {0, 1, 2, 4};
      for (int i = 0; i < blocks.length; i++) {
        var sequence = new Sequence(blocks[i], bounds[i], bounds[i + 1]);
        check(operands.buffers(), "K", operands.quantized().k(), numbers, ScaleRule.OCP, 175, 2, 48, false, sequence);
        check(operands.buffers(), "V", operands.quantized().v(), numbers, ScaleRule.OCP, 175, 2, 48, true, sequence);
      }
    }
  }

  /** Rows from {@code first} to before {@code end}, whose scales begin with a block. */
  private record Sequence(int block, int first, int end) {}

  private static void check(Map<String, MemorySegment> buffers, String name, Factors scales, float[] numbers,
      ScaleRule rule, int rows, int heads, int dim, boolean alongRows, Sequence sequence) {
    for (int i = 0; i < numbers.length; i++) {
      int d = i % dim;
      int h = i / dim % heads;
      int s = i / dim / heads % rows - sequence.first;
      int b = i / dim / heads / rows;
      if (s < 0 || s >= sequence.end - sequence.first) continue;
      int line = alongRows ? d % 128 : s % 128;
      int scale = (alongRows ? s : d) % 128 / 32;
      long place = b * scales.batch() + h * scales.head() + (sequence.block + s / 128) * scales.block()
          + d / 128 * 512L + line % 32 * 16 + line / 32 * 4 + scale;
      int exponent = (buffers.get(scales.buffer()).get(ValueLayout.JAVA_BYTE, place) & 0xFF) - BIAS;
      double largest = 0;
      for (int n = (alongRows ? s : d) / 32 * 32; n < (alongRows ? s : d) / 32 * 32 + 32; n++) {
        boolean exists = n < (alongRows ? sequence.end - sequence.first : dim);
        int at = alongRows ? ((b * rows + sequence.first + n) * heads + h) * dim + d : i - d + n;
        if (exists) largest = Math.max(largest, Math.abs(numbers[at]));
      }
      int expected = Math.getExponent(largest) - LARGEST_EXPONENT;
      if (rule == ScaleRule.COVERING && largest > Math.scalb(LARGEST, expected)) expected++;
      assertEquals(expected, exponent, name + "'s scale at " + i);
      double scaled = Math.clamp(Math.scalb((double) numbers[i], -exponent), -LARGEST, LARGEST);
      double code = ElementType.E4M3.toDouble(buffers.get(name).get(ValueLayout.JAVA_BYTE, i));
      assertEquals(ElementType.E4M3.round(scaled), code, name + " at " + i);
    }
  }

  @Test
  void aBlockWithANumberThatIsNotFiniteIsNaN() {
    var s = Sizes.of(1, 2, 40, 1, 64);
    var q = new float[2 * 64];
    var v = new float[40 * 64];
    q[64 + 33] = Float.POSITIVE_INFINITY;
    v[35 * 64 + 7] = Float.NaN;
    try (var arena = Arena.ofConfined()) {
      var operands = new Mxf8Quantizer(ElementType.BF16).quantize(s, q, new float[40 * 64], v, arena);
      for (int row = 0; row < 2; row++) {
        for (int scale = 0; scale < 2; scale++) {
          assertEquals(row == 1 && scale == 1 ? -1 : 0, operands.buffers().get("scaleQ").get(ValueLayout.JAVA_BYTE,
              row * 16 + scale));
        }
      }
      // Column 7, keys 32 to 39.
      assertEquals(-1, operands.buffers().get("scaleV").get(ValueLayout.JAVA_BYTE, 7 * 16 + 1));
      assertEquals(0, operands.buffers().get("scaleV").get(ValueLayout.JAVA_BYTE, 7 * 16));
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    var quantizer = new Mxf8Quantizer(ElementType.BF16);
    try (var arena = Arena.ofConfined()) {
      var s = Sizes.of(1, 2, 2, 1, 16);
      assertEquals("K has 16 elements; needed are 1×2×1×16 = 32", assertThrows(IllegalArgumentException.class,
          () -> quantizer.quantize(s, new float[32], new float[16], new float[32], arena)).getMessage());
      var flat = new TensorView(ElementType.F32, MemorySegment.ofArray(new float[4]), Layout.of(4, 1));
      assertTrue(assertThrows(IllegalArgumentException.class, () -> quantizer.quantize(flat, flat, flat, arena))
          .getMessage().startsWith("not (B,S,H,D)"));
      var rows = new TensorView(ElementType.F32, MemorySegment.ofArray(new float[5 * 16]),
          new Layout(IntTuple.flat(1, 5, 1, 16), IntTuple.flat(0, 16, 16, 1)));
      for (int[] bounds : new int[][] {{}, {0}, {1, 5}, {0, 4}, {0, 6}, {0, 3, 2, 5}}) {
        assertTrue(assertThrows(IllegalArgumentException.class,
            () -> quantizer.quantizePacked(rows, rows, rows, bounds, bounds, arena)).getMessage()
            .endsWith("do not rise from 0 to 5"));
      }
    }
  }
}
