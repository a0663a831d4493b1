package tilewright.simulator.arithmetic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
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

  private static final Map<String, DoubleUnaryOperator> DOUBLES = Map.of(
      "rcp.approx.ftz", SpecialFunctions::rcp, "rsqrt.approx.ftz", SpecialFunctions::rsqrt,
      "rsqrt.approx", Approximations::rsqrt);

  /** By upper words: zero and subnormals, from 1, from 2, from 2¹⁰²², infinity and NaN, from -1. */
  @ParameterizedTest
  @CsvSource({
      "rcp.approx.ftz, bcea0d83, 90623dfb, 59b33434, dac49c53, 116f5bf8, c2dd7ce4",
      "rsqrt.approx.ftz, bcea0d83, c257edd1, af8b62b8, 79b052a2, 116f5bf8, b5e77be7",
      "rsqrt.approx, 9123efde, 90c9ea98, ceeef495, e07c7d6d, 9a9b88ae, 8e5fa681"})
  void allUpperWordsOfARunOfDoublesAreTheHardwares(String function, String subnormal, String one, String two,
      String large, String special, String minusOne) {
    var of = DOUBLES.get(function);
    assertEquals(subnormal, "%08x".formatted(sum(of, 0x000)));
    assertEquals(one, "%08x".formatted(sum(of, 0x3FF)));
    assertEquals(two, "%08x".formatted(sum(of, 0x400)));
    assertEquals(large, "%08x".formatted(sum(of, 0x7FD)));
    assertEquals(special, "%08x".formatted(sum(of, 0x7FF)));
    assertEquals(minusOne, "%08x".formatted(sum(of, 0xBFF)));
  }

  /** All 2³² upper words, each with a lower word made of it. */
  @Tag("fuzz")
  @ParameterizedTest
  @CsvSource({"rcp.approx.ftz, 2b5076ac", "rsqrt.approx.ftz, 29f39099", "rsqrt.approx, 129e8406"})
  void allUpperWordsOfDoublesAreTheHardwares(String function, String expected) {
    var of = DOUBLES.get(function);
    int sum = IntStream.range(0, 1 << Integer.SIZE - RUN).map(run -> sum(of, run)).sum();
    assertEquals(expected, "%08x".formatted(sum));
  }

  private static int sum(DoubleUnaryOperator function, int run) {
    return IntStream.range(0, 1 << RUN).map(i -> (run << RUN) + i).parallel().map(upper -> {
      int lower = upper * 0x9E3779B1 ^ upper;
      double operand = Double.longBitsToDouble((long) upper << Integer.SIZE | lower & 0xFFFF_FFFFL);
      long result = Double.doubleToRawLongBits(function.applyAsDouble(operand));
      int both = (int) (result >>> Integer.SIZE) ^ (int) result * 0x85EBCA6B;
      return (int) mixed((long) upper << Integer.SIZE | both & 0xFFFF_FFFFL);
    }).sum();
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
