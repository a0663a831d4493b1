package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.registry.Family;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.FamilyCases;

/** Normalised rows whose mean is large beside their deviation, one at a time, so that no worse row hides another. */
class NormErrorTest {
  private static final double EPSILON = 1e-5;
  /** FP32 roundings from the input to a result: differences, deviation, products, and the reciprocal root. */
  private static final double ROUNDINGS = 8;

  /** Rows held in registers, in shared memory too, walked through, shared by a cluster, and streamed. */
  private static Stream<Map<String, String>> forms() {
    return Stream.of(Map.of("n", "63"), Map.of("n", "1000"), Map.of("n", "4096"), Map.of("n", "33001"),
        Map.of("n", "4096", "cluster", "2"), Map.of("n", "32768"), Map.of("n", "3072", "stream", "2"),
        Map.of("n", "2560", "stream", "1"));
  }

  static Stream<Arguments> families() {
    return Stream.of("layer_norm", "rms_norm").flatMap(family -> forms().map(form -> Arguments.of(family, form)));
  }

  static Stream<Arguments> layerNorms() {
    return forms().map(Arguments::of);
  }

  /** The mean is every element, so the differences to it are 0 and not what rounding left of them. */
  @ParameterizedTest
  @MethodSource("layerNorms")
  void aConstantRowIsNormalisedToZero(Map<String, String> form) {
    for (float x : new float[] {1e6f, 1e4f, 88, -3.3333333f, 1e30f, 3e38f, 1e-40f, 16777215}) {
      int n = Integer.parseInt(form.get("n"));
      assertArrayEquals(new double[n], normalised("layer_norm", form, _ -> x), form + " of " + x);
    }
  }

  @ParameterizedTest
  @MethodSource("families")
  void resultsAreOffByTheirRoundingsOnly(String family, Map<String, String> form) {
    int n = Integer.parseInt(form.get("n"));
    var random = new SplittableRandom(n);
    var noise = random.doubles(n).map(u -> 2 * u - 1).toArray();
    assertRounded(family, form, i -> 1e6 + noise[i]);
    assertRounded(family, form, i -> -1e4 + 1e-3 * noise[i]);
    assertRounded(family, form, i -> 1e8 + 8 * (i == n / 2 ? 1 : 0));
    assertRounded(family, form, i -> i == n / 3 ? 1e6 : noise[i]);
    assertRounded(family, form, i -> i == 0 ? 1e6 : noise[i]);
    assertRounded(family, form, i -> 1e-40 * noise[i]);
    assertRounded(family, form, i -> i % 2 == 0 ? 1e4 : 1e4 + 1);
    assertRounded(family, form, i -> 300 + noise[i]);
  }

  private static void assertRounded(String family, Map<String, String> form, IntToDoubleFunction element) {
    int n = Integer.parseInt(form.get("n"));
    var x = IntStream.range(0, n).mapToDouble(i -> (float) element.applyAsDouble(i)).toArray();
    double mean = family.equals("layer_norm") ? Arrays.stream(x).sum() / n : 0;
    double deviation = Math.sqrt(Arrays.stream(x).map(v -> (v - mean) * (v - mean)).sum() / n + EPSILON);
    var y = normalised(family, form, element);
    double largest = Arrays.stream(x).map(v -> Math.abs(v - mean) / deviation).max().orElseThrow();
    // A difference between large numbers is exact; the mean's second part is rounded relative to itself, but not below
    // the least subnormal.
    double bound = ROUNDINGS * (Math.ulp((float) largest) + (mean == 0 ? 0 : Float.MIN_VALUE / deviation));
    for (int i = 0; i < n; i++) {
      double exact = (x[i] - mean) / deviation;
      assertTrue(Math.abs(y[i] - exact) <= bound, family + " " + form + ": element " + i + " of a row from " + x[0]
          + " is " + y[i] + ", exactly " + exact + "; allowed are " + bound);
    }
  }

  /** Y of one row with W = 1 and B = 0. */
  private static double[] normalised(String name, Map<String, String> form, IntToDoubleFunction element) {
    Family family = RegisteredFamilies.named(name);
    var choice = family.defaults().with(form).with(Map.of("m", "1"));
    var buffers = FamilyCases.buffers(family, choice, 1);
    int n = choice.number("n");
    var views = new String[] {"X", "W", "B"};
    for (var operand : views) {
      if (!buffers.containsKey(operand)) continue;
      var view = new TensorView(ElementType.F32, buffers.get(operand), Layout.of(n, 1));
      for (int i = 0; i < n; i++) {
        view.set(i, operand.equals("X") ? element.applyAsDouble(i) : operand.equals("W") ? 1 : 0);
      }
    }
    var launch = family.workload(choice).launch();
    Simulator.load(launch.kernel().module()).run(launch.on(buffers), SimulatorOptions.defaults());
    return new TensorView(ElementType.F32, buffers.get("Y"), Layout.of(n, 1)).values();
  }
}
