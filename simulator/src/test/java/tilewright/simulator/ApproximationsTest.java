package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Approximate functions on edges, all exponents and subnormals, as an H200 answered: the operands, each function's
 * results; then dividends, divisors and each quotient's results.
 */
class ApproximationsTest {
  private static final int SAMPLES = 2048;
  private static final List<String> FUNCTIONS = List.of("rcp.approx.ftz", "rcp.approx", "sqrt.approx.ftz",
      "sqrt.approx", "rsqrt.approx.ftz", "rsqrt.approx", "ex2.approx.ftz", "ex2.approx", "sin.approx.ftz", "sin.approx",
      "cos.approx.ftz", "cos.approx", "lg2.approx.ftz", "lg2.approx", "tanh.approx");
  private static final List<String> QUOTIENTS =
      List.of("div.approx.ftz", "div.approx", "div.full.ftz", "div.full");
  private static ByteBuffer recorded;

  @BeforeAll
  static void read() throws IOException {
    try (var in = new GZIPInputStream(ApproximationsTest.class.getResourceAsStream("approximations.h200.bin.gz"))) {
      recorded = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  private static int[] column(int number) {
    int[] values = new int[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) values[i] = recorded.getInt((number * SAMPLES + i) * Integer.BYTES);
    return values;
  }

  @ParameterizedTest
  @FieldSource("FUNCTIONS")
  void functionsGiveTheHardwaresBits(String function) {
    int[] operands = column(0);
    assertArrayEquals(column(1 + FUNCTIONS.indexOf(function)),
        Instructions.on32(function + ".f32", operands, operands, operands, 1));
  }

  @ParameterizedTest
  @FieldSource("QUOTIENTS")
  void quotientsGiveTheHardwaresBits(String quotient) {
    int dividends = 1 + FUNCTIONS.size();
    int[] a = column(dividends);
    int[] b = column(dividends + 1);
    assertArrayEquals(column(dividends + 2 + QUOTIENTS.indexOf(quotient)),
        Instructions.on32(quotient + ".f32", a, b, b, 2));
  }
}
