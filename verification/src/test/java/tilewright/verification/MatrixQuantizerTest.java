package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.LaunchArguments.Tensor;
import tilewright.kernels.gemm.MatrixQuantizer;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.Buffers;

/** Factors of rows and of whole matrices, and the codes that belong to them, by their definition. */
class MatrixQuantizerTest {
  private static final float LARGEST = 448;
  private static final double[] SPECIAL = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0};

  @ParameterizedTest
  @CsvSource({"BF16,5,320,8", "F16,3,2056,0", "F32,7,75,2", "BF16,2,33,0", "F32,1030,8,0", "F32,1,1,0"})
  void factorsAndCodesAreThoseOfTheDefinition(ElementType type, int rows, int columns, int gap) {
    long seed = 29L * rows + columns;
    var x = numbers(type, rows, columns + gap, seed);
    for (boolean whole : List.of(false, true)) {
      var found = run(type, x, rows, columns, columns + gap, whole);
      for (int row = 0; row < rows; row++) {
        float maximum = maximum(x, whole ? 0 : row, whole ? rows : row + 1, columns, columns + gap);
        float factor = maximum < 0x1p-100f ? 1 : maximum / LARGEST;
        float inverse = maximum < 0x1p-100f ? 1 : LARGEST / maximum;
        assertEquals(factor, found.get("Factor").getAtIndex(ValueLayout.JAVA_FLOAT, whole ? 0 : row),
            "factor of row " + row + ", seed " + seed);
        assertCodes(x, found.get("Y"), row, columns, columns + gap, inverse, seed);
      }
    }
  }

  private static void assertCodes(TensorView x, MemorySegment codes, int row, int columns, int stride, float inverse,
      long seed) {
    var one = new TensorView(ElementType.E4M3, Buffers.zeros(ElementType.E4M3, 1), Layout.of(1, 1));
    for (int column = 0; column < columns; column++) {
      float value = (float) x.value((long) row * stride + column);
      one.set(0, Float.isFinite(value) ? value * inverse : Double.NaN);
      assertEquals(code(one.data(), 0), code(codes, (long) row * columns + column),
          "code of (" + row + ", " + column + "), " + value + ", seed " + seed);
    }
  }

  /** A code, whatever the sign of NaN. */
  private static int code(MemorySegment codes, long at) {
    int code = codes.get(ValueLayout.JAVA_BYTE, at);
    return (code & 0x7f) == 0x7f ? 0x7f : code;
  }

  private static float maximum(TensorView x, int from, int to, int columns, int stride) {
    float maximum = 0;
    for (int row = from; row < to; row++) {
      for (int column = 0; column < columns; column++) {
        float magnitude = Math.abs((float) x.value((long) row * stride + column));
        if (Float.isFinite(magnitude)) maximum = Math.max(maximum, magnitude);
      }
    }
    return maximum;
  }

  private static Map<String, MemorySegment> run(ElementType type, TensorView x, int rows, int columns, int stride,
      boolean whole) {
    var given = new Tensor("X", 0, List.of((long) rows, (long) columns), List.of((long) stride, 1L));
    var codes = new Tensor("Y", 0, List.of((long) rows, (long) columns), List.of((long) columns, 1L));
    var factor = new Tensor("Factor", 0, List.of(whole ? 1L : rows), List.of(1L));
    var sequence = whole ? MatrixQuantizer.tensor(type, given, codes, factor)
        : MatrixQuantizer.rows(type, given, codes, factor);
    var buffers = new HashMap<>(Map.of("X", x.data(), "Y", Buffers.poisoned(ElementType.E4M3, (long) rows * columns),
        "Factor", Buffers.poisoned(ElementType.F32, whole ? 1 : rows)));
    sequence.workspace().forEach(part -> buffers.put(part.name(), Buffers.poisoned(ElementType.I8, part.bytes())));
    var launches = sequence.on(buffers);
    for (int i = 0; i < launches.size(); i++) {
      var result = Simulator.load(sequence.launches().get(i).kernel().module())
          .run(launches.get(i), SimulatorOptions.defaults().withSanitizer(true));
      assertEquals(List.of(), result.findings());
    }
    return buffers;
  }

  /** Numbers of changing magnitudes, of which some are not finite; the first row is zeros where there are more. */
  private static TensorView numbers(ElementType type, int rows, int stride, long seed) {
    long count = (long) rows * stride;
    var x = new TensorView(type, Buffers.zeros(type, count), Layout.of(count, 1));
    var random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      double value = Math.scalb(random.nextGaussian(), random.nextInt(12) - 6);
      x.set(i, rows > 1 && i < stride ? 0 : random.nextInt(50) == 0 ? SPECIAL[random.nextInt(4)] : value);
    }
    return x;
  }
}
