package tilewright.simulator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of 2²⁰ operands, next to each other, of an approximate function, by the hash of what an H200 gave for them. */
class SpecialFunctionsTest {
  private static final int RUN = 20;
  private static final Map<String, UnaryOperator<Float>> FUNCTIONS = Map.ofEntries(
      Map.entry("rcp.approx.ftz", SpecialFunctions::rcp), Map.entry("rcp.approx", Approximations::rcp),
      Map.entry("rsqrt.approx.ftz", SpecialFunctions::rsqrt), Map.entry("rsqrt.approx", Approximations::rsqrt),
      Map.entry("sqrt.approx.ftz", SpecialFunctions::sqrt), Map.entry("sqrt.approx", Approximations::sqrt),
      Map.entry("ex2.approx.ftz", SpecialFunctions::ex2), Map.entry("ex2.approx", Approximations::ex2),
      Map.entry("lg2.approx.ftz", SpecialFunctions::lg2), Map.entry("lg2.approx", Approximations::lg2),
      Map.entry("sin.approx", SpecialFunctions::sin), Map.entry("cos.approx", SpecialFunctions::cos),
      Map.entry("tanh.approx", SpecialFunctions::tanh));

  /** Zero and subnormals, up to 1, from 2¹²⁶, down from -2 and from -120. */
  @ParameterizedTest
  @CsvSource({
      "rcp.approx.ftz, b3df9b70, b1d37cfc, 7cd9a206, 906dced5, 85d68331",
      "rcp.approx, b3df9b70, b1d37cfc, 81467a89, 906dced5, 85d68331",
      "rsqrt.approx.ftz, b3df9b70, 6f670f00, 22fd5d91, fcf369d8, 969d4cd9",
      "rsqrt.approx, 36a9dbb4, 6f670f00, 22fd5d91, fcf369d8, 969d4cd9",
      "sqrt.approx.ftz, d5984016, fd202415, 6743f634, fcf369d8, 969d4cd9",
      "sqrt.approx, be1a6242, fd202415, 6743f634, fcf369d8, 969d4cd9",
      "ex2.approx.ftz, 9d3b56bf, a26112fe, a920ea43, 397f2f93, 69d0a05a",
      "ex2.approx, 9d3b56bf, a26112fe, a920ea43, 397f2f93, 7ebe41b9",
      "lg2.approx.ftz, e1576770, 33f4eef5, 5958ede7, fcf369d8, 969d4cd9",
      "lg2.approx, 6e9e408c, 33f4eef5, 5958ede7, fcf369d8, 969d4cd9",
      "sin.approx, d5984016, ad20319a, ca005af9, ae17c282, 09cae279",
      "cos.approx, 9d3b56bf, d9ab0aa5, 66f28c63, a345e6a1, 38e51073",
      "tanh.approx, 0e6a6907, 64a1f0e5, 66f28c63, b23e7a43, 0adcd57a"})
  void allOfARunAreTheHardwares(String function, String subnormal, String one, String large, String minusTwo,
      String negative) {
    var of = FUNCTIONS.get(function);
    assertEquals(subnormal, hash(of, 0x000));
    assertEquals(one, hash(of, 0x3F7));
    assertEquals(large, hash(of, 0x7E8));
    assertEquals(minusTwo, hash(of, 0xC00));
    assertEquals(negative, hash(of, 0xC2F));
  }

  private static String hash(UnaryOperator<Float> function, int run) {
    int sum = IntStream.range(run << RUN, run + 1 << RUN).parallel().map(bits -> {
      int result = Float.floatToRawIntBits(function.apply(Float.intBitsToFloat(bits)));
      return (int) mixed((long) bits << 32 | result & 0xFFFF_FFFFL);
    }).sum();
    return "%08x".formatted(sum);
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long bits) {
    long z = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
