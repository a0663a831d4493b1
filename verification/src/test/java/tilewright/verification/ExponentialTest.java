package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.Exponential;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** {@link Exponential} of FP32 from 0 to −110 in the simulator, beside the exponential in FP64. */
class ExponentialTest {
  private static final int THREADS = 128;
  /** A prime, so that the last bits differ. */
  private static final int STEP = 8191;
  private static final int FIRST = Float.floatToRawIntBits(0x1p-26f);
  private static final double[] X = IntStream.range(0, (Float.floatToRawIntBits(110) - FIRST) / STEP)
      .mapToDouble(i -> -Float.intBitsToFloat(FIRST + i * STEP)).toArray();
  private static final float FACTOR = 1 / 3f;
  /** Its own rounding, and 2⁻²⁶ where neighbours are 2⁻²⁴ apart. */
  private static final double ULPS = 0.99;
  /** A subnormal power is rounded twice. */
  private static final double SUBNORMAL_ULPS = 1.5;

  /** Y = e^X, Z = e^X · factor. */
  private record Powers(Exponential exponential, float factor) implements Kernel {
    @Override
    public String name() {
      return "powers";
    }

    @Override
    public void trace(Scope k) {
      var i = k.block(THREADS).plus(k.blockX().times(THREADS));
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N")).at(i).load();
      k.global(TensorSpec.of("Y", ElementType.F32, "N")).at(i).store(exponential.of(x));
      k.global(TensorSpec.of("Z", ElementType.F32, "N")).at(i).store(exponential.times(x, k.constant(factor)));
    }

    /** Y and Z. */
    List<double[]> of(double... x) {
      int blocks = Math.ceilDiv(x.length, THREADS);
      var views = Map.of("X", view(blocks), "Y", view(blocks), "Z", view(blocks));
      for (int i = 0; i < x.length; i++) views.get("X").set(i, x[i]);
      var kernel = CompiledKernel.compile(this, Target.SM80);
      var arguments = LaunchArguments.of(kernel);
      views.forEach((name, view) ->
          arguments.tensor(name, new LaunchArguments.Tensor(name, 0, List.of(view.size()), List.of(1L))));
      var launch = new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build())
          .on(Map.of("X", views.get("X").data(), "Y", views.get("Y").data(), "Z", views.get("Z").data()));
      assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
      return List.of(Arrays.copyOf(views.get("Y").values(), x.length),
          Arrays.copyOf(views.get("Z").values(), x.length));
    }

    private static TensorView view(int blocks) {
      int size = blocks * THREADS;
      return new TensorView(ElementType.F32, Buffers.poisoned(ElementType.F32, size), Layout.of(size, 1));
    }
  }

  /** In units of the last place, over the exact results that are meant. */
  private static double worst(double[] y, double factor, DoublePredicate meant) {
    return IntStream.range(0, X.length).filter(i -> meant.test(StrictMath.exp(X[i]) * factor)).mapToDouble(i -> {
      double exact = StrictMath.exp(X[i]) * factor;
      return Math.abs(y[i] - exact) / ElementType.F32.ulp(exact);
    }).max().orElseThrow();
  }

  private static void assertWithin(double ulps, double worst) {
    assertTrue(worst <= ulps, "off by " + worst + " units in the last place");
  }

  @Test
  void preciseOnesAreOffByLessThanAUnit() {
    var y = new Powers(Exponential.PRECISE, FACTOR).of(X).get(0);
    assertWithin(ULPS, worst(y, 1, e -> e >= 0x1p-125));
  }

  @Test
  void soAreMultiples() {
    var z = new Powers(Exponential.PRECISE, FACTOR).of(X).get(1);
    assertWithin(ULPS, worst(z, FACTOR, e -> e >= 0x1p-125));
    assertWithin(SUBNORMAL_ULPS, worst(z, FACTOR, e -> e < 0x1p-125));
  }

  @Test
  void quickOnesAreOffByAUnitOfXEach() {
    var y = new Powers(Exponential.QUICK, FACTOR).of(X).get(0);
    assertWithin(4, worst(y, 1, e -> e >= Math.exp(-1)));
    double worst = worst(y, 1, e -> e >= 0x1p-125);
    assertTrue(worst > 10 && worst < 120, "off by " + worst + " units in the last place");
  }

  @Test
  void theEndsAreZeroAndOne() {
    for (var exponential : Exponential.values()) {
      var results = new Powers(exponential, FACTOR).of(0, -0.0, Double.NEGATIVE_INFINITY, -3e38, Double.NaN);
      assertArrayEquals(new double[] {1, 1, 0, 0, Double.NaN}, results.get(0));
      assertArrayEquals(new double[] {FACTOR, FACTOR, 0, 0, Double.NaN}, results.get(1));
    }
  }

  /** What a softmax of nothing but −∞ needs. */
  @Test
  void zeroTimesInfinityIsNoNumber() {
    for (var exponential : Exponential.values()) {
      var z = new Powers(exponential, Float.POSITIVE_INFINITY).of(Double.NEGATIVE_INFINITY).get(1);
      assertArrayEquals(new double[] {Double.NaN}, z);
    }
  }
}
