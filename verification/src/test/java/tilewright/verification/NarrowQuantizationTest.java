package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.NarrowQuantization;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.verification.cases.Buffers;

/** Quantization by kernels, compared bit for bit with the host's, for numbers of every kind. */
class NarrowQuantizationTest {
  private static final int SEEDS = 3;

  /** Rows, columns, and elements from row to row: whole accesses, tails, and rows that begin anywhere. */
  @ParameterizedTest(name = "{0} of {1}, {2}x{3}, rows {4} apart")
  @CsvSource({
      "mxf8, F32, 130, 160, 160", "mxf8, BF16, 40, 33, 35", "mxf8_e5m2, F16, 9, 64, 64", "mxf6, F32, 33, 272, 272",
      "mxf6_e3m2, BF16, 129, 40, 40", "mxf4, F32, 5, 31, 31", "mxf4, BF16, 130, 136, 144", "nvf4, F32, 129, 80, 80",
      "nvf4, BF16, 20, 17, 17", "nvf4, F16, 1, 200, 200"})
  void bitsAreThoseOfTheHost(String name, ElementType type, int rows, int k, int stride) {
    var x = numbers(type, rows * stride);
    var values = new float[rows * k];
    for (int i = 0; i < values.length; i++) values[i] = (float) x.value((long) (i / k) * stride + i % k);
    for (var rule : ScaleRule.values()) {
      var format = NarrowFormat.named(name).scaledBy(rule);
      var expected = NarrowMatrix.quantize(format, rows, k, values);
      var tensor = new LaunchArguments.Tensor("X", 0, List.of((long) rows, (long) k), List.of((long) stride, 1L));
      var largest = NarrowFormat.largest(values);
      for (long seed = 0; seed < SEEDS; seed++) {
        var buffers = new HashMap<>(Map.of("X", x.data(), "G", Buffers.zeros(ElementType.F32, 1)));
        run(NarrowQuantization.largest(type, tensor), buffers, seed);
        assertEquals(largest, Buffers.single(buffers.get("G"), 0));
        buffers.put("F", Buffers.poisoned(ElementType.F32, 1));
        buffers.put("Q", Buffers.poisoned(ElementType.I8, expected.elements().length));
        buffers.put("S", Buffers.poisoned(ElementType.I8, expected.scales().length));
        run(NarrowQuantization.quantize(expected.layout(), type, tensor), buffers, seed);
        assertArrayEquals(expected.scales(), buffers.get("S").toArray(ValueLayout.JAVA_BYTE), rule + " scales");
        assertArrayEquals(expected.elements(), buffers.get("Q").toArray(ValueLayout.JAVA_BYTE), rule + " elements");
      }
    }
  }

  private static void run(PreparedLaunch launch, Map<String, MemorySegment> buffers, long seed) {
    var result = Simulator.load(launch.kernel().ptx()).run(launch.on(buffers),
        SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
    assertEquals(List.of(), result.findings(), "seed " + seed);
  }

  /** Numbers of every magnitude, with blocks of zeros, of subnormals, and with a number that is not finite. */
  private static TensorView numbers(ElementType type, int count) {
    var numbers = new TensorView(type, Buffers.zeros(type, count), Layout.of(count, 1));
    var random = new Random(5);
    var special = new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 65504, 6, 448};
    int range = type == ElementType.F16 ? 24 : 250;
    for (int i = 0; i < count; i++) {
      int block = i / 96;
      double value = Math.scalb(random.nextGaussian(), (block * 37 % range) - range / 2 + random.nextInt(9));
      if (block % 11 == 7) value = 0;
      if (random.nextInt(150) == 0) value = special[random.nextInt(special.length)];
      // The type's own arithmetic makes infinities of what it cannot hold.
      numbers.set(i, value);
    }
    return numbers;
  }

  @Test
  void aFormatWithoutScalesIsRefused() {
    var format = new NarrowFormat(MmaKind.F8F6F4, MmaFormat.E2M1);
    var x = new LaunchArguments.Tensor("X", 0, List.of(4L, 32L), List.of(32L, 1L));
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> NarrowQuantization.quantize(new NarrowLayout(format, 4, 32), ElementType.F32, x));
    assertTrue(refusal.getMessage().contains("has no scales"), refusal.getMessage());
  }
}
