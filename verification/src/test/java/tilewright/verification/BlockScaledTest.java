package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.verification.cases.Buffers;

/**
 * Products of floats of four to eight bits, quantized by the host: clean under the sanitizer, and equal to the product
 * of the numbers that elements and scales stand for, which a single holds whatever the order of its sum.
 */
class BlockScaledTest {
  private static final int SEEDS = 2;

  @ParameterizedTest(name = "{0}: {1} by {2}, {3}x{4}x{5}, {6} CTAs, tiles of {7}")
  @CsvSource({
      "MXF8F6F4, E4M3, E5M2, 120, 136, 288, 1, 128", "MXF8F6F4, E4M3, E4M3, 140, 264, 160, 2, 256",
      "MXF8F6F4, E2M3, E3M2, 136, 24, 256, 2, 128", "MXF8F6F4, E2M1, E4M3, 120, 136, 256, 1, 256",
      "MXF4, E2M1, E2M1, 120, 136, 576, 1, 128", "MXF4, E2M1, E2M1, 140, 40, 320, 2, 256",
      "NVF4, E2M1, E2M1, 120, 136, 576, 1, 128", "NVF4, E2M1, E2M1, 140, 136, 320, 2, 128",
      "F8F6F4, E2M3, E2M1, 136, 24, 256, 2, 128", "F8F6F4, E3M2, E5M2, 120, 136, 256, 1, 128"})
  void productsAreThoseOfTheNumbersThatWereQuantized(MmaKind kind, MmaFormat a, MmaFormat b, int m, int n, int k,
      int ctas, int tileN) {
    var types = new UmmaTypes(kind, a, b, ElementType.F32);
    var config = new Sm100GemmConfig(types, true, true, tileN, ctas, ctas, 2, 1, ctas == 2, 8);
    var left = NarrowMatrix.quantize(new NarrowFormat(kind, a), 1, m, k, numbers(kind, m, k, 1));
    var right = NarrowMatrix.quantize(new NarrowFormat(kind, b), 1, n, k, numbers(kind, n, k, 2));
    var expected = product(left, right);
    var problem = NarrowGemm.problem(types, m, n, k);
    var launch = NarrowGemm.prepare(config, problem, k, EpilogueArguments.plain(problem));
    var program = Simulator.load(launch.kernel().ptx());
    for (long seed = 0; seed < SEEDS; seed++) {
      var c = Buffers.poisoned(ElementType.F32, (long) m * n);
      var buffers = new HashMap<>(Map.of("A", segment(left.elements()), "B", segment(right.elements()), "C", c));
      if (kind.scaled()) buffers.putAll(Map.of("SA", segment(left.scales()), "SB", segment(right.scales())));
      var result = program.run(launch.on(buffers), SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
      assertEquals(List.of(), result.findings(), "seed " + seed);
      for (int i = 0; i < expected.length; i++) {
        assertEquals(expected[i], Buffers.single(c, i), "seed " + seed + ", row " + i / n + ", column " + i % n);
      }
    }
  }

  /** Small integers, times powers of two that change from block to block where blocks have scales. */
  private static float[] numbers(MmaKind kind, int rows, int k, long seed) {
    var random = new Random(seed);
    var numbers = new float[rows * k];
    float unit = 1;
    for (int i = 0; i < numbers.length; i++) {
      if (kind.scaled() && i % kind.block() == 0) unit = Math.scalb(1f, random.nextInt(5) - 2);
      numbers[i] = (random.nextInt(7) - 3) * unit;
    }
    return numbers;
  }

  private static float[] product(NarrowMatrix a, NarrowMatrix b) {
    var product = new float[a.layout().rows() * b.layout().rows()];
    var left = values(a);
    var right = values(b);
    int n = right.length;
    for (int i = 0; i < product.length; i++) {
      double sum = 0;
      for (int k = 0; k < a.layout().k(); k++) sum += left[i / n][k] * right[i % n][k];
      if (sum != (float) sum) throw new AssertionError(sum + " is no single: choose smaller numbers");
      product[i] = (float) sum;
    }
    return product;
  }

  private static double[][] values(NarrowMatrix matrix) {
    var values = new double[matrix.layout().rows()][matrix.layout().k()];
    for (int row = 0; row < values.length; row++) {
      for (int k = 0; k < values[row].length; k++) values[row][k] = matrix.value(row, k);
    }
    return values;
  }

  /** A copy that begins at a multiple of sixteen bytes. */
  private static MemorySegment segment(byte[] bytes) {
    var segment = MemorySegment.ofArray(new long[Math.ceilDiv(bytes.length, Long.BYTES)]).asSlice(0, bytes.length);
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return segment;
  }
}
