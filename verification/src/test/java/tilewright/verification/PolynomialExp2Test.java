package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.atom.F32x2;
import tilewright.sm100.attention.PolynomialExp2;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/**
 * The error of {@link PolynomialExp2}, proved over all FP32 numbers from −127 to 8. The kernel computes, bit for bit,
 * what {@link #exp2} does. Of that, every FP32 number with a magnitude from 2⁻²⁵ on is compared with a series in FP64;
 * for smaller ones the polynomial is rounded to what it is at zero.
 */
class PolynomialExp2Test {
  private static final double BOUND = 3.05e-6;
  private static final float INTEGERS = 0x1.8p23f;
  /** Below, 1 ± x lies no farther from 1 than half of its neighbours' distance. */
  private static final float TINY = 0x1p-25f;
  private static final int BINADE = 1 << 23;
  private static final double LN_2 = 0.6931471805599453;
  /** So that the remainder of the series of e^y for y up to ln 2, less than y¹⁶/16!, is less than 2·10⁻¹⁶. */
  private static final int TERMS = 16;

  /** What each instruction of the kernel rounds, rounded alike. */
  private static float exp2(float logarithm) {
    float x = Math.max(logarithm, -127);
    float floor = (float) Math.floor(x);
    float shifted = floor + INTEGERS;
    float power = power(x - (shifted - INTEGERS));
    return Float.intBitsToFloat(Float.floatToRawIntBits(power) + (Float.floatToRawIntBits(shifted) << 23));
  }

  private static float power(float f) {
    float p = Math.fma(0.0134349382f, f, 0.0522253588f);
    p = Math.fma(p, f, 0.2412912548f);
    p = Math.fma(p, f, 0.6930426955f);
    return Math.fma(p, f, 1f);
  }

  /** e^y for y from 0 to ln 2. */
  private static double series(double y) {
    double sum = 1;
    for (int n = TERMS - 1; n > 0; n--) sum = Math.fma(sum * y, 1.0 / n, 1);
    return sum;
  }

  /** The largest relative error over the FP32 numbers of one sign from {@code least}, a power of two, to twice that. */
  private static double worst(float least, int sign, float bound) {
    double worst = 0;
    int bits = Float.floatToRawIntBits(least);
    for (int i = 0; i < BINADE; i++) {
      float magnitude = Float.intBitsToFloat(bits + i);
      if (magnitude > bound) break;
      float x = sign * magnitude;
      double floor = Math.floor(x);
      // Both are scaled by 2^−⌊x⌋, which is exact.
      double ours = exp2(x) * Double.longBitsToDouble((long) (1023 - floor) << 52);
      double exact = series((x - floor) * LN_2);
      worst = Math.max(worst, Math.abs(ours - exact) / exact);
    }
    return worst;
  }

  private static double worst(int sign, float bound) {
    return IntStream.rangeClosed(-25, Math.getExponent(bound)).parallel()
        .mapToDouble(exponent -> worst(Math.scalb(1f, exponent), sign, bound)).max().orElseThrow();
  }

  @Test
  void itsErrorIsWithinItsBoundForAllSinglesUpToEight() {
    double worst = worst(1, 8);
    assertTrue(worst <= BOUND, "largest relative error " + worst);
  }

  @Test
  void itsErrorIsWithinItsBoundForAllNegativeSinglesWhosePowerIsNormal() {
    double worst = worst(-1, 126);
    assertTrue(worst <= BOUND, "largest relative error " + worst);
  }

  /** For 0 ≤ f < 2⁻²⁵ the sum 1 + f·p, with p < 1, is rounded to 1, and x + 1 for −2⁻²⁵ ≤ x ≤ 0 is; 2^x is near 1. */
  @Test
  void whatIsTinyHasThePowerOfZero() {
    for (float x = TINY; x > 0; x = Math.nextDown(x) / 2) {
      assertEquals(1f, exp2(x));
      assertEquals(exp2(-Float.MIN_VALUE), exp2(-x));
    }
    assertTrue(1 - exp2(-TINY) + TINY <= BOUND, "below zero " + exp2(-TINY));
    assertEquals(1f, exp2(0f));
  }

  @Test
  void whatIsTooSmallBecomesTinyAndThenZero() {
    float end = -126;
    for (float x = -127; x < end; x = Math.nextUp(x)) {
      assertTrue(exp2(x) >= 0 && exp2(x) < 0x1p-125f, "2^" + x + " is " + exp2(x));
    }
    assertEquals(0f, exp2(-127));
    assertEquals(0f, exp2(Float.NEGATIVE_INFINITY));
  }

  /** FP32 numbers all over the range, each of them with its neighbour as the other half of the pair. */
  @ParameterizedTest(name = "from {0}")
  @ValueSource(floats = {-0f, 0f})
  void theKernelComputesTheSameBits(float zero) {
    int step = 32749;
    int first = Float.floatToRawIntBits(zero);
    int count = Float.floatToRawIntBits(first == 0 ? 8f : 128f) / step / 256 * 256;
    var x = Buffers.zeros(ElementType.F32, count);
    for (int i = 0; i < count; i++) x.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, first + i * step);
    x.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, Float.NEGATIVE_INFINITY);
    var y = Buffers.poisoned(ElementType.F32, count);
    run(x, y, count);
    for (int i = 0; i < count; i++) {
      float at = x.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
      assertEquals(Float.floatToRawIntBits(exp2(at)), y.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i), "2^" + at);
    }
  }

  private record Powers() implements Kernel {
    @Override
    public String name() {
      return "polynomial_exp2";
    }

    @Override
    public void trace(Scope k) {
      var thread = k.block(128);
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N"));
      var y = k.global(TensorSpec.of("Y", ElementType.F32, "N"));
      var first = k.blockX().times(256).plus(thread.times(2));
      var powers = PolynomialExp2.of(k, F32x2.of(k, x.at(first).load(), x.at(first.plus(1)).load()));
      y.at(first).store(powers.get(0));
      y.at(first.plus(1)).store(powers.get(1));
    }
  }

  private static void run(MemorySegment x, MemorySegment y, int count) {
    var kernel = CompiledKernel.compile(new Powers(), Target.SM100A);
    var arguments = LaunchArguments.of(kernel);
    for (var name : List.of("X", "Y")) {
      arguments.tensor(name, new LaunchArguments.Tensor(name, 0, List.of((long) count), List.of(1L)));
    }
    var launch = new PreparedLaunch(kernel, Dim3.of(count / 256), arguments.build());
    assertEquals(List.of(), new SimulatorBackend(1).run(launch.on(Map.of("X", x, "Y", y))).findings());
  }
}
