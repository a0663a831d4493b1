package tilewright.numerics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The tensor-core model against its definition in exact decimal arithmetic, and against cases worked by hand. */
class TensorCoreModelProperties {

  @Property(tries = 6000)
  void oneBlockIsAlignedTruncatedSummedAndRoundedOnce(@ForAll("models") TensorCoreModel model, @ForAll long seed) {
    var random = new SplittableRandom(seed);
    long[] x = finite(model.a(), random, model.block());
    long[] y = finite(model.b(), random, model.block());
    long c = finite(model.accumulator(), random, 1)[0];
    assertEquals(Long.toHexString(definition(model, c, x, y)), Long.toHexString(model.dot(c, x, y)));
  }

  /** Raw bits, NaNs and infinities among them, over blocks of which the last is short. */
  @Property(tries = 20_000)
  void decodedFactorsGiveTheSameBits(@ForAll("models") TensorCoreModel model, @ForAll long seed) {
    var random = new SplittableRandom(seed);
    int length = random.nextInt(3 * model.block());
    long[] x = drawn(model.a(), random, length);
    long[] y = drawn(model.b(), random, length);
    long c = drawn(model.accumulator(), random, 1)[0];
    long decoded = model.dot(c, new TensorCoreOperands(model.a(), x), new TensorCoreOperands(model.b(), y));
    assertEquals(Long.toHexString(model.dot(c, x, y)), Long.toHexString(decoded));
  }

  /** Sums so exact and so near to a tie that rounding by way of a single would round twice. */
  @Example
  void halfAccumulatorsRoundOnce() {
    var model = TensorCoreModel.mma(90, ElementType.F16, ElementType.F16);
    long one = 0x3C00;
    long tie = ElementType.F16.fromDouble(0x1p-11, Rounding.NEAREST_EVEN);
    long little = ElementType.F16.fromDouble(0x1p-12, Rounding.NEAREST_EVEN);
    long less = ElementType.F16.fromDouble(0x1p-13, Rounding.NEAREST_EVEN);
    var x = new TensorCoreOperands(ElementType.F16, new long[] {tie, little});
    assertEquals(0x3C00, model.dot(one, x, new TensorCoreOperands(ElementType.F16, new long[] {one, 0})), "a tie");
    var above = new TensorCoreOperands(ElementType.F16, new long[] {one, less});
    assertEquals(0x3C01, model.dot(one, x, above), "2^-25 above a tie");
  }

  /**
   * 2^-25 + 2^-46 is above a tie, unless a zero counts as 2^-20 and the kept bits end at 2^-44: SM80, not SM90. With
   * 2^-47 it is a tie on an H200 too.
   */
  @Example
  void aZeroCountsWithTheArchitecturesExponent() {
    long[] x = {ElementType.F16.fromDouble(0x1p-12, Rounding.NEAREST_EVEN), 0x0001, 0};
    long[] y = {ElementType.F16.fromDouble(0x1p-13, Rounding.NEAREST_EVEN), 0x0004, 0};
    for (int architecture : new int[] {80, 90}) {
      var model = TensorCoreModel.mma(architecture, ElementType.F16, ElementType.F16);
      long expected = architecture == 80 ? 0 : 1;
      assertEquals(expected, model.dot(0, x, y));
      assertEquals(expected, model.dot(0, new TensorCoreOperands(ElementType.F16, x),
          new TensorCoreOperands(ElementType.F16, y)));
    }
  }

  /** Σ of magnitudes truncated to multiples of 2^(largest exponent − fraction), rounded once to the accumulator. */
  private static long definition(TensorCoreModel model, long c, long[] a, long[] b) {
    var terms = new ArrayList<BigDecimal>();
    int largest = exponent(model.accumulator(), c, model.zeroExponent());
    terms.add(new BigDecimal(model.accumulator().toDouble(c)));
    for (int i = 0; i < a.length; i++) {
      double x = model.a().toDouble(a[i]);
      double y = model.b().toDouble(b[i]);
      terms.add(new BigDecimal(x).multiply(new BigDecimal(y)));
      largest = Math.max(largest, x == 0 || y == 0 ? model.zeroExponent()
          : exponent(model.a(), a[i], 0) + exponent(model.b(), b[i], 0));
    }
    var quantum = power(largest - model.fraction());
    var sum = BigDecimal.ZERO;
    for (var term : terms) sum = sum.add(term.divideToIntegralValue(quantum).multiply(quantum));
    if (sum.signum() == 0) return 0;
    boolean half = model.accumulator() == ElementType.F16;
    long magnitude = half ? rounded(sum.abs(), 5, 10, RoundingMode.HALF_EVEN)
        : rounded(sum.abs(), 8, 23 - model.dropped(), RoundingMode.DOWN) << model.dropped();
    // What becomes zero has lost its sign.
    return sum.signum() > 0 || magnitude == 0 ? magnitude : magnitude | (half ? 0x8000L : 0x80000000L);
  }

  /** Pattern of a positive number: its multiple of the unit in the last place, counted from the smallest exponent. */
  private static long rounded(BigDecimal number, int exponentBits, int fractionBits, RoundingMode rounding) {
    int bias = (1 << exponentBits - 1) - 1;
    if (number.compareTo(power(bias + 1)) >= 0) return (1L << exponentBits) - 1 << fractionBits;
    int exponent = 1 - bias;
    while (number.compareTo(power(exponent + 1)) >= 0) exponent++;
    long units = number.divide(power(exponent - fractionBits), 0, rounding).longValueExact();
    return units + ((long) (exponent + bias - 1) << fractionBits);
  }

  private static int exponent(ElementType type, long bits, int ofZero) {
    double value = type.toDouble(bits);
    return value == 0 ? ofZero : Math.max(Math.getExponent(value), type.minExponent());
  }

  private static BigDecimal power(int exponent) {
    return exponent >= 0 ? new BigDecimal(2).pow(exponent)
        : BigDecimal.ONE.divide(new BigDecimal(2).pow(-exponent), new MathContext(400, RoundingMode.UNNECESSARY));
  }

  private static long[] finite(ElementType type, SplittableRandom random, int count) {
    return Arrays.stream(drawn(type, random, count)).map(b -> Double.isFinite(type.toDouble(b)) ? b : 0).toArray();
  }

  /** Numbers near one, where terms meet and cancel; near the smallest, where zeros count; or any bits. */
  private static long[] drawn(ElementType type, SplittableRandom random, int count) {
    int kind = random.nextInt(4);
    var bits = new long[count];
    for (int i = 0; i < count; i++) {
      double size = switch (kind) {
        case 0 -> random.nextDouble(-2, 2);
        case 1 -> Math.scalb(random.nextDouble(-2, 2), random.nextInt(-12, 13));
        case 2 -> Math.scalb(random.nextDouble(-2, 2), type == ElementType.F16 ? -14 : -66);
        default -> Double.NaN;
      };
      bits[i] = Double.isNaN(size) ? random.nextLong() & (1L << type.bits()) - 1
          : type.fromDouble(size, Rounding.TOWARD_ZERO);
      if (random.nextInt(8) == 0) bits[i] = 0;
    }
    return bits;
  }

  @Provide
  Arbitrary<TensorCoreModel> models() {
    var onWarps = Combinators.combine(Arbitraries.of(80, 86, 90, 100), Arbitraries.of(
        List.of(ElementType.F16, ElementType.F32), List.of(ElementType.F16, ElementType.F16),
        List.of(ElementType.BF16, ElementType.F32), List.of(ElementType.TF32, ElementType.F32)))
        .as((architecture, types) -> TensorCoreModel.mma(architecture, types.get(0), types.get(1)));
    var narrow = Arbitraries.of(ElementType.E4M3, ElementType.E5M2);
    return Arbitraries.oneOf(onWarps, Combinators.combine(narrow, narrow).as(TensorCoreModel::wgmma));
  }

  /** 1 + 2^-24 + 2^-24: SM80 keeps 24 bits below the one, so both survive alignment; a single one falls to rounding. */
  @Example
  void smallTermsAddUpBeforeTheResultIsTruncated() {
    long tiny = ElementType.F16.fromDouble(0x1p-12, Rounding.NEAREST_EVEN);
    long[] a = {tiny, tiny, 0, 0, 0, 0, 0, 0};
    long one = ElementType.F32.fromDouble(1, Rounding.NEAREST_EVEN);
    assertEquals(1 + 0x1p-23, dot(80, one, a, a));
    assertEquals(1, dot(80, one, new long[] {tiny, 0, 0, 0, 0, 0, 0, 0}, a));
  }

  /** Sixteen products: two chained blocks of eight on SM80, one on SM90; 2^-25 survives only in Hopper's 25 bits. */
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

  /** 1 + 2^-13 survives alignment to 13 fraction bits; of 2 + 2^-13 + 2^-13 each is cut off. */
  @Example
  void sumsOfBytesKeepThirteenFractionBits() {
    var model = TensorCoreModel.wgmma(ElementType.E4M3, ElementType.E5M2);
    long tiny = ElementType.E4M3.fromDouble(0x1p-6, Rounding.NEAREST_EVEN);
    long factor = ElementType.E5M2.fromDouble(0x1p-7, Rounding.NEAREST_EVEN);
    long one = ElementType.F32.fromDouble(1, Rounding.NEAREST_EVEN);
    long two = ElementType.F32.fromDouble(2, Rounding.NEAREST_EVEN);
    assertEquals(1 + 0x1p-13, ElementType.F32.toDouble(model.dot(one, new long[] {tiny}, new long[] {factor})));
    assertEquals(two, model.dot(two, new long[] {tiny, tiny}, new long[] {factor, factor}));
    long exact = ElementType.F32.fromDouble(1 + 0x1p-20, Rounding.NEAREST_EVEN);
    assertEquals(one, model.dot(exact, new long[] {0}, new long[] {0}), "an old sum is cut as well");
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
