package tilewright.kernels.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import tilewright.numerics.ElementType;

/** Codes times factors, found by the addresses that the kernels use, against the numbers before quantisation. */
class AttentionQuantizerTest {
  private static final Sizes SIZES = new Sizes(2, 5, 7, 4, 2, 32, 16);
  private static final float LARGEST = 448;
  private static final double HALF_ULP = 0x1p-4;

  static Stream<AttentionQuantizer> quantizers() {
    return Stream.of(AttentionQuantizer.perTensor(ElementType.BF16), AttentionQuantizer.perHead(ElementType.BF16),
        AttentionQuantizer.perBlock(ElementType.F16, 3));
  }

  /** Numbers whose magnitude grows with the row, the head and the batch entry. */
  private static float[] numbers(int batch, int rows, int heads, int dim, long seed) {
    var random = new SplittableRandom(seed);
    var numbers = new float[batch * rows * heads * dim];
    for (int i = 0; i < numbers.length; i++) numbers[i] = (float) random.nextGaussian() * (1 + i / dim);
    return numbers;
  }

  @ParameterizedTest
  @MethodSource("quantizers")
  void everyElementIsItsCodeTimesItsFactor(AttentionQuantizer quantizer) {
    var s = SIZES;
    var q = numbers(s.batch(), s.queries(), s.heads(), s.headDim(), 1);
    var k = numbers(s.batch(), s.keys(), s.keyHeads(), s.headDim(), 2);
    var v = numbers(s.batch(), s.keys(), s.keyHeads(), s.valueDim(), 3);
    try (var arena = Arena.ofConfined()) {
      var operands = quantizer.quantize(s, q, k, v, arena);
      assertEquals(quantizer.output(), operands.quantized().output());
      check(operands.buffers(), "Q", operands.quantized().q(), q, s.queries(), s.heads(), s.headDim());
      check(operands.buffers(), "K", operands.quantized().k(), k, s.keys(), s.keyHeads(), s.headDim());
      check(operands.buffers(), "V", operands.quantized().v(), v, s.keys(), s.keyHeads(), s.valueDim());
    }
  }

  private static void check(Map<String, MemorySegment> buffers, String name, Factors factors, float[] numbers,
      int rows, int heads, int dim) {
    for (int i = 0; i < numbers.length; i++) {
      int h = i / dim % heads;
      int s = i / dim / heads % rows;
      int b = i / dim / heads / rows;
      float factor = buffers.get(factors.buffer()).getAtIndex(ValueLayout.JAVA_FLOAT,
          factors.block() * (s / factors.rows()) + factors.head() * h + factors.batch() * b);
      double found = ElementType.E4M3.toDouble(buffers.get(name).get(ValueLayout.JAVA_BYTE, i)) * factor;
      // Half a unit of three fraction bits, or of the least subnormal number, 2^-9.
      double bound = Math.max(HALF_ULP * Math.abs(numbers[i]), 0x1p-10 * factor) * 1.001;
      assertEquals(numbers[i], found, bound, name + " at " + i);
    }
    // The largest factor is that of the largest number.
    float largest = 0;
    for (var number : numbers) largest = Math.max(largest, Math.abs(number));
    float most = 0;
    for (var factor : buffers.get(factors.buffer()).toArray(ValueLayout.JAVA_FLOAT)) most = Math.max(most, factor);
    assertEquals(largest / LARGEST, most, 1e-6 * most);
  }

  /** The transform of Q and K is orthogonal and the same: their products stay, V is not transformed. */
  @Test
  void theTransformKeepsProducts() {
    var s = Sizes.of(1, 1, 1, 1, 64);
    var q = numbers(1, 1, 1, 64, 4);
    var k = q.clone();
    try (var arena = Arena.ofConfined()) {
      var plain = AttentionQuantizer.perHead(ElementType.BF16);
      var buffers = plain.hadamard(7).quantize(s, q, k, q, arena).buffers();
      double dot = 0;
      double exact = 0;
      for (int d = 0; d < 64; d++) {
        dot += code(buffers, "Q", d) * code(buffers, "K", d);
        exact += q[d] * k[d];
      }
      double factors = buffers.get("descaleQ").get(ValueLayout.JAVA_FLOAT, 0)
          * buffers.get("descaleK").get(ValueLayout.JAVA_FLOAT, 0);
      assertEquals(exact, dot * factors, 0.05 * exact);
      assertEquals(-1, buffers.get("V").mismatch(plain.quantize(s, q, k, q, arena).buffers().get("V")));
    }
  }

  private static double code(Map<String, MemorySegment> buffers, String name, int d) {
    return ElementType.E4M3.toDouble(buffers.get(name).get(ValueLayout.JAVA_BYTE, d));
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (var arena = Arena.ofConfined()) {
      var perHead = AttentionQuantizer.perHead(ElementType.BF16);
      var s = Sizes.of(1, 2, 2, 1, 16);
      assertEquals("K has 16 elements; needed are 1×2×1×16 = 32", assertThrows(IllegalArgumentException.class,
          () -> perHead.quantize(s, new float[32], new float[16], new float[32], arena)).getMessage());
      var odd = Sizes.of(1, 1, 1, 1, 24);
      assertEquals("no Hadamard transform of 24 columns: a multiple of 16", assertThrows(
          IllegalArgumentException.class, () -> perHead.hadamard(1).quantize(odd, new float[24], new float[24],
              new float[24], arena)).getMessage());
      assertEquals("a factor of 0 rows: at least 1", assertThrows(IllegalArgumentException.class,
          () -> AttentionQuantizer.perBlock(ElementType.BF16, 0)).getMessage());
    }
  }
}
