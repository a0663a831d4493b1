package tilewright.numerics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The tensor-core model against its definition in exact decimal arithmetic, and against cases worked by hand. */
class TensorCoreModelProperties {

  @Property(tries = 4000)
  void oneBlockIsAlignedTruncatedSummedAndRoundedOnce(@ForAll("operands") ElementType operand, @ForAll("architectures") int architecture,
      @ForAll("bits") List<Integer> a, @ForAll("bits") List<Integer> b, @ForAll int c) {
    var model = TensorCoreModel.mma(architecture, operand, ElementType.F32);
    long[] x = finite(operand, a, model.block());
    long[] y = finite(operand, b, model.block());
    long sum = Float.isFinite(Float.intBitsToFloat(c)) ? c & 0xFFFFFFFFL : 0;
    assertEquals(Long.toHexString(definition(model, sum, x, y)), Long.toHexString(model.dot(sum, x, y)));
  }

  /** Σ of magnitudes truncated to multiples of 2^(largest exponent − fraction), rounded toward zero to a single. */
  private static long definition(TensorCoreModel model, long c, long[] a, long[] b) {
    var terms = new ArrayList<BigDecimal>();
    int largest = exponent(ElementType.F32, c, model.zeroExponent());
    terms.add(new BigDecimal(ElementType.F32.toDouble(c)));
    for (int i = 0; i < a.length; i++) {
      double x = model.operand().toDouble(a[i]);
      double y = model.operand().toDouble(b[i]);
      terms.add(new BigDecimal(x).multiply(new BigDecimal(y)));
      largest = Math.max(largest, x == 0 || y == 0 ? model.zeroExponent()
          : exponent(model.operand(), a[i], 0) + exponent(model.operand(), b[i], 0));
    }
    var quantum = power(largest - model.fraction());
    var sum = BigDecimal.ZERO;
    for (var term : terms) sum = sum.add(term.divideToIntegralValue(quantum).multiply(quantum));
    if (sum.signum() == 0) return 0;
    var magnitude = sum.abs();
    if (magnitude.compareTo(power(128)) >= 0) return sum.signum() > 0 ? 0x7F800000L : 0xFF800000L;
    int exponent = -126;
    while (exponent < 127 && magnitude.compareTo(power(exponent + 1)) >= 0) exponent++;
    var unit = power(exponent - 23);
    double truncated = magnitude.divideToIntegralValue(unit).multiply(unit).doubleValue();
    return Float.floatToRawIntBits((float) (sum.signum() * truncated)) & 0xFFFFFFFFL;
  }

  private static int exponent(ElementType type, long bits, int ofZero) {
    double value = type.toDouble(bits);
    return value == 0 ? ofZero : Math.max(Math.getExponent(value), type.minExponent());
  }

  private static BigDecimal power(int exponent) {
    return exponent >= 0 ? new BigDecimal(2).pow(exponent)
        : BigDecimal.ONE.divide(new BigDecimal(2).pow(-exponent), new MathContext(400, RoundingMode.UNNECESSARY));
  }

  private static long[] finite(ElementType type, List<Integer> bits, int count) {
    return bits.subList(0, count).stream().mapToLong(b -> Double.isFinite(type.toDouble(b)) ? b : 0).toArray();
  }

  @Provide
  Arbitrary<ElementType> operands() {
    return Arbitraries.of(ElementType.F16, ElementType.BF16);
  }

  @Provide
  Arbitrary<Integer> architectures() {
    return Arbitraries.of(80, 86, 90, 100);
  }

  /** Half near one, where terms meet, half anything. */
  @Provide
  Arbitrary<List<Integer>> bits() {
    var near = Arbitraries.integers().between(0x3800, 0x4400).flatMap(b -> Arbitraries.of(b, b | 0x8000));
    return Arbitraries.oneOf(near, Arbitraries.integers().between(0, 0xFFFF)).list().ofSize(16);
  }

  /** 1 + 2^-24 + 2^-24: SM80 keeps 24 bits below the one, so both survive alignment and their sum is dropped by rounding. */
  @Example
  void smallTermsAddUpBeforeTheResultIsTruncated() {
    long tiny = ElementType.F16.fromDouble(0x1p-12, Rounding.NEAREST_EVEN);
    long[] a = {tiny, tiny, 0, 0, 0, 0, 0, 0};
    long one = ElementType.F32.fromDouble(1, Rounding.NEAREST_EVEN);
    assertEquals(1 + 0x1p-23, dot(80, one, a, a));
    assertEquals(1, dot(80, one, new long[] {tiny, 0, 0, 0, 0, 0, 0, 0}, a));
  }

  /** Sixteen products: two chained blocks of eight on SM80, one on SM90; 2^-25 survives only beside Hopper's 25 bits. */
  @Example
  void theBlockLengthIsTheArchitectures() {
    long[] a = new long[16];
    long[] b = new long[16];
    Arrays.fill(a, ElementType.F16.fromDouble(0x1p-12, Rounding.NEAREST_EVEN));
    Arrays.fill(b, ElementType.F16.fromDouble(0x1p-13, Rounding.NEAREST_EVEN));
    long one = ElementType.F32.fromDouble(1, Rounding.NEAREST_EVEN);
    assertEquals(1, dot(80, one, a, b), "sixteen times 2^-25, each cut off at 2^-24");
    assertEquals(1 + 0x1p-21, dot(90, one, a, b), "sixteen times 2^-25");
  }

  @Example
  void specialValuesWin() {
    long infinity = 0x7C00;
    long[] x = {infinity, 0, 0, 0, 0, 0, 0, 0};
    long[] one = {0x3C00, 0, 0, 0, 0, 0, 0, 0};
    long[] zero = new long[8];
    var model = TensorCoreModel.mma(80, ElementType.F16, ElementType.F32);
    assertEquals(0x7F800000L, model.dot(0, x, one));
    assertEquals(0x7FFFFFFFL, model.dot(0, x, zero), "infinity times zero");
    assertEquals(0x7FFFFFFFL, model.dot(0xFF800000L, x, one), "infinity minus infinity");
    assertEquals(0x7FFFFFFFL, model.dot(0x7FC00001L, one, one), "a NaN loses its payload");
  }

  private static double dot(int architecture, long c, long[] a, long[] b) {
    return ElementType.F32.toDouble(TensorCoreModel.mma(architecture, ElementType.F16, ElementType.F32).dot(c, a, b));
  }
}
