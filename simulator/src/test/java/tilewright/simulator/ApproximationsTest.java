package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Approximate functions against 1,024 operands each, from all exponents, as an H200 answered the launches of
 * approximations.ptx: operands, then results, function by function.
 */
class ApproximationsTest {
  private static final int SAMPLES = 1024;
  private static final List<String> FUNCTIONS = List.of("rcp.approx.ftz", "rcp.approx", "sqrt.approx.ftz",
      "sqrt.approx", "rsqrt.approx.ftz", "rsqrt.approx", "ex2.approx.ftz", "ex2.approx", "sin.approx.ftz",
      "cos.approx.ftz", "lg2.approx.ftz", "tanh.approx");
  private static ByteBuffer recorded;

  @BeforeAll
  static void read() throws IOException {
    try (var in = new GZIPInputStream(ApproximationsTest.class.getResourceAsStream("approximations.h200.bin.gz"))) {
      recorded = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  private static int[] recorded(String function, int part) {
    int[] values = new int[SAMPLES];
    int from = (2 * FUNCTIONS.indexOf(function) + part) * SAMPLES * Integer.BYTES;
    for (int i = 0; i < SAMPLES; i++) values[i] = recorded.getInt(from + i * Integer.BYTES);
    return values;
  }

  private static int[] simulated(String function, int[] operands) {
    return Instructions.on32(function + ".f32", operands, operands, operands, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rcp.approx.ftz", "rcp.approx", "sqrt.approx.ftz", "sqrt.approx", "rsqrt.approx.ftz",
      "rsqrt.approx", "ex2.approx.ftz", "ex2.approx"})
  void rootsReciprocalsAndPowersGiveTheHardwaresBits(String function) {
    assertArrayEquals(recorded(function, 1), simulated(function, recorded(function, 0)));
  }

  /** Absolute distances, of the size of the errors that the PTX ISA documents. */
  @ParameterizedTest
  @CsvSource({"sin.approx.ftz, 0x1p-20", "cos.approx.ftz, 0x1p-20", "lg2.approx.ftz, 0x1p-17", "tanh.approx, 0x1p-10"})
  void otherFunctionsStayNearTheHardware(String function, double bound) {
    int[] operands = recorded(function, 0);
    int[] expected = recorded(function, 1);
    int[] actual = simulated(function, operands);
    for (int i = 0; i < SAMPLES; i++) {
      float x = Float.intBitsToFloat(expected[i]);
      float y = Float.intBitsToFloat(actual[i]);
      if (Float.isFinite(x)) assertEquals(x, y, bound, function + " of " + Float.intBitsToFloat(operands[i]));
      else assertEquals(expected[i], actual[i], function + " of " + Integer.toHexString(operands[i]));
    }
  }
}
