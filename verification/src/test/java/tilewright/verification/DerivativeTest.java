package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.Derivative;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.numerics.ElementType;

/** Derivatives of traced functions in the simulator, beside central differences of the same formulas in FP64. */
class DerivativeTest {
  private static final int THREADS = 128;
  private static final long SEED = 20261123;
  private static final double STEP = 1e-3;
  private static final float NAN = Float.NaN;

  /** A function in the language and in Java, for x from {@code least} to {@code most}. */
  private record Example(String name, double least, double most, UnaryOperator<F32> traced, DoubleUnaryOperator exact) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Example> examples() {
    return Stream.of(
        new Example("a polynomial", -3, 3, x -> x.polynomial(0.5f, -1, 2, 7), x -> ((0.5 * x - 1) * x + 2) * x + 7),
        new Example("a product with itself", -3, 3, x -> x.times(x).plus(x), x -> x * x + x),
        new Example("a difference", -3, 3, x -> x.constant(4).minus(x.times(x).times(x)), x -> 4 - x * x * x),
        new Example("a product of products", -3, 3, x -> x.plus(1).times(x.fma(2, -3)).times(x.plus(x)),
            x -> (x + 1) * (2 * x - 3) * 2 * x),
        new Example("a quotient", -3, 3, x -> x.plus(1).dividedBy(x.times(x).plus(2)), x -> (x + 1) / (x * x + 2)),
        new Example("a quotient by a constant", -3, 3, x -> x.times(x).dividedBy(3f), x -> x * x / 3),
        new Example("a constant over x", 0.5, 3, x -> x.constant(3).dividedBy(x), x -> 3 / x),
        new Example("the magnitude", -3, 3, x -> x.magnitude().times(x), x -> Math.abs(x) * x),
        new Example("the larger", -3, 3, x -> x.times(x).max(x.plus(1)), x -> Math.max(x * x, x + 1)),
        new Example("the smaller", -3, 3, x -> x.negated().min(x.times(3)), x -> Math.min(-x, 3 * x)),
        new Example("a rectifier", -3, 3, x -> x.max(x.constant(0)), x -> Math.max(x, 0)),
        new Example("a reciprocal", 0.5, 3, x -> x.times(x).reciprocal(), x -> 1 / (x * x)),
        new Example("a root", 0.5, 3, x -> x.times(x).plus(x).root(), x -> Math.sqrt(x * x + x)),
        new Example("a reciprocal root", 0.5, 3, x -> x.times(x).reciprocalRoot(), x -> 1 / x),
        new Example("a refined reciprocal root", 0.5, 3, F32::refinedReciprocalRoot, x -> 1 / Math.sqrt(x)),
        new Example("a power of two", -3, 3, x -> x.times(x).exp2(), x -> Math.pow(2, x * x)),
        new Example("an exponential", -3, 3, F32::exp, Math::exp),
        new Example("a logarithm", 0.5, 3, x -> x.times(x).plus(1).log2(), x -> Math.log(x * x + 1) / Math.log(2)),
        new Example("a choice", -3, 3, x -> x.times(x).where(x.lessThan(x.constant(0.7f)), x.times(5)),
            x -> x < 0.7f ? x * x : 5 * x),
        new Example("a choice of neither", -3, 3, x -> x.constant(2).where(x.atMost(x.constant(1)), x.constant(3))
            .times(x), x -> (x <= 1 ? 2 : 3) * x),
        new Example("a logistic function", -6, 6, x -> x.negated().exp().plus(1).reciprocal(),
            x -> 1 / (1 + Math.exp(-x))),
        new Example("softplus", -6, 6, x -> x.exp2().plus(1).log2(), x -> Math.log(1 + Math.pow(2, x)) / Math.log(2)),
        scored("softcap", 30, ScoreMod.softcap(10), x -> 10 * Math.tanh(x / 10)),
        scored("softcap, then twice, then softcap", 20, ScoreMod.softcap(9).then((s, b, h, q, k) -> s.times(2))
            .then(ScoreMod.softcap(5)), x -> 5 * Math.tanh(2 * 9 * Math.tanh(x / 9) / 5)));
  }

  private static Example scored(String name, double most, ScoreMod mod, DoubleUnaryOperator exact) {
    return new Example(name, -most, most, x -> mod.apply(x, null, null, null, null), exact);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void isThatOfTheFormula(Example example) {
    var random = new Random(SEED);
    var x = random.doubles(THREADS, example.least, example.most).map(d -> (float) d).toArray();
    double[] slopes = slopes(example.traced, x);
    double largest = 0;
    int kinks = 0;
    for (int i = 0; i < x.length; i++) {
      double exact = centralDifference(example.exact, x[i], STEP);
      if (Math.abs(exact - centralDifference(example.exact, x[i], STEP / 2)) > 1e-6) {
        kinks++;
        continue;
      }
      double error = Math.abs(slopes[i] - exact) / Math.max(1, Math.abs(exact));
      assertTrue(error < 2e-6, example + "'s slope at " + x[i] + " is " + slopes[i] + " instead of " + exact
          + ", seed " + SEED);
      largest = Math.max(largest, error);
    }
    assertTrue(kinks < 3, kinks + " points near a kink");
    System.out.printf("%s: off by %.1e%n", example, largest);
  }

  /** By four points, off by the fifth derivative times h⁴/30. */
  private static double centralDifference(DoubleUnaryOperator f, double x, double h) {
    return (8 * (f.applyAsDouble(x + h) - f.applyAsDouble(x - h)) - f.applyAsDouble(x + 2 * h)
        + f.applyAsDouble(x - 2 * h)) / (12 * h);
  }

  private static double[] slopes(UnaryOperator<F32> f, double... x) {
    return new SmallKernel().with("X", ElementType.F32, x).output("Z", ElementType.F32, x.length).run(1, k -> {
      var i = k.block(x.length);
      var input = SmallKernel.element(k, "X", ElementType.F32, i).load();
      SmallKernel.element(k, "Z", ElementType.F32, i).store(Derivative.of(f.apply(input), input));
    }).values("Z");
  }

  @Test
  void whatSaturatesHasTheSlopeZeroThoughItsExponentialOverflows() {
    double[] x = {89, 1e3, 1e38, -89, -1e3, -1e38};
    var zeros = new double[x.length];
    assertArrayEquals(zeros, slopes(s -> s.exp().plus(1).reciprocal(), x));
    assertArrayEquals(zeros, slopes(s -> s.constant(1).dividedBy(s.exp().plus(1)), x));
    assertArrayEquals(zeros, slopes(s -> s.exp().negated().exp(), x));
    var softcap = ScoreMod.softcap(1);
    assertArrayEquals(zeros, slopes(s -> softcap.apply(s, null, null, null, null), x));
  }

  private static void assertArrayEquals(double[] expected, double[] actual) {
    for (int i = 0; i < expected.length; i++) assertEquals(expected[i], Math.abs(actual[i]), "at " + i);
  }

  /** The slope of what is no number does not look like one. */
  @Test
  void ofWhatIsNoNumberIsNone() {
    assertEquals(Double.NaN, slopes(s -> s.exp().plus(1).reciprocal(), NAN)[0]);
    assertEquals(Double.NaN, slopes(s -> s.times(s), NAN)[0]);
  }

  @Test
  void aBiasHasASlopeThatTracingKnows() {
    trace(k -> {
      var x = load(k);
      assertEquals(Optional.of(1f), Derivative.of(x.plus(k.block(32).toF32()), x).known());
      assertEquals(Optional.of(2.5f), Derivative.of(x.fma(2.5f, 1), x).known());
      assertEquals(Optional.of(0f), Derivative.of(x.minus(x), x).known());
      assertEquals(Optional.of(0f), Derivative.of(k.constant(3f), x).known());
    });
  }

  @Test
  void functionsThatOnlyAddToScoresNeedNoDerivative() {
    assertTrue(Modification.NONE.adds());
    assertTrue(Modification.NONE.then((s, b, h, q, k) -> s.plus(k.minus(q).toF32())).adds());
    assertFalse(Modification.NONE.then((s, b, h, q, k) -> s.times(2)).adds());
    assertFalse(Modification.NONE.then((s, b, h, q, k) -> s.roundedTo(ElementType.BF16)).adds(), "has none");
  }

  /** A table's element or a variable that the input does not change is a constant beside it. */
  @Test
  void whatIsLoadedDoesNotDependOnTheInput() {
    trace(k -> {
      var x = load(k).times(2).settled();
      var bias = load(k);
      var factor = SmallKernel.element(k, "X", ElementType.F32, k.block(32)).load().roundedTo(ElementType.BF16);
      assertEquals(Optional.of(1f), Derivative.of(x.plus(bias), x).known());
      assertEquals(factor.register(), Derivative.of(x.fma(factor, bias), x).register());
    });
  }

  /** A settled expression is a value of its own: what is equal to it by chance stays fixed. */
  @Test
  void anExpressionIsAnInput() {
    trace(k -> {
      var s = load(k);
      var x = s.times(2).settled();
      assertEquals(Optional.of(3f), Derivative.of(x.fma(3, 0).plus(s.times(2)), x).known());
      assertEquals(Optional.of(5f), Derivative.of(s.times(2).plus(s.times(3)), s).known());
    });
  }

  @Test
  void whatHasNoDerivativeIsRefusedByName() {
    refused("cvt.rn.bf16.f32", x -> x.times(2).roundedTo(ElementType.BF16).plus(1));
    refused("cvt.rn.f32.s8", x -> x.roundedTo(ElementType.I8));
    trace(k -> {
      var x = load(k).settled();
      var sum = k.accumulator();
      sum.add(x.times(x));
      var e = assertThrows(TraceException.class, () -> Derivative.of(sum.value().plus(x), x));
      assertTrue(e.getMessage().contains("add.rn.f32"), e.getMessage());
      assertThrows(TraceException.class, () -> Derivative.of(x, k.constant(1f)));
      var count = k.constant(1).where(x.lessThan(k.constant(0f)), 2).toF32();
      assertEquals(Optional.of(0f), Derivative.of(count, x).known(), "piecewise constant");
    });
  }

  private static void refused(String name, UnaryOperator<F32> f) {
    trace(k -> {
      var x = load(k);
      var e = assertThrows(TraceException.class, () -> Derivative.of(f.apply(x), x));
      assertTrue(e.getMessage().contains(name), e.getMessage());
    });
  }

  /** t = capped / cap and 1 − t², with the sign of t apart; beside them the sum and the constant 1 / cap. */
  @Test
  void theSlopeOfSoftcapTakesThreeInstructions() {
    var softcap = ScoreMod.softcap(30);
    var values = SmallKernel.compile(k -> store(k, softcap.apply(load(k), null, null, null, null))).ptx();
    var slopes = SmallKernel.compile(k -> {
      var sloped = softcap.sloped(load(k), null, null, null, null);
      store(k, sloped.value().plus(sloped.slope()));
    }).ptx();
    assertEquals(instructions(values) + 3 + 1 + 1, instructions(slopes), slopes);
  }

  @Test
  void anUnusedSlopeTakesNone() {
    var once = SmallKernel.compile(k -> store(k, load(k).exp())).ptx();
    var twice = SmallKernel.compile(k -> {
      var x = load(k);
      var y = x.exp();
      Derivative.of(y.times(y).plus(1).reciprocal(), x);
      store(k, y);
    }).ptx();
    assertEquals(once, twice);
  }

  private static long instructions(String ptx) {
    return ptx.lines().filter(line -> line.matches("\\s+[a-z].*;")).count();
  }

  private static F32 load(Scope k) {
    return SmallKernel.element(k, "X", ElementType.F32, k.block(32)).load();
  }

  private static void store(Scope k, F32 value) {
    SmallKernel.element(k, "X", ElementType.F32, k.block(32)).store(value);
  }

  private static void trace(Consumer<Scope> body) {
    SmallKernel.compile(body);
  }
}
