package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Comparison;
import tilewright.reference.TensorView;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.FamilyCases;

/** Softmax of one row of FP32: the error rule allows little where no worse row hides what this one is off by. */
class SoftmaxErrorTest {
  private static final int SEEDS = LongSuite.count(100);
  private static final int ROWS = LongSuite.count(10);
  private static final double FRACTIONS = 64;
  /** An exponential is off by less than one unit, and what the sum adds by less than half of one. */
  private static final double ULPS = 1.5;

  /** A kernel for rows of one length. */
  private static final class Softmax {
    private final Family family;
    private final Choice choice;
    private final PreparedLaunch launch;
    private final Program program;

    Softmax(String name, int n) {
      family = RegisteredFamilies.named(name);
      choice = family.sized(family.defaults(), List.of(n));
      launch = family.workload(choice).launch();
      program = Simulator.load(launch.kernel().module());
    }

    double[] of(double[] x) {
      var buffers = FamilyCases.buffers(family, choice, 1);
      var input = new TensorView(ElementType.F32, buffers.get("X"), Layout.of(x.length, 1));
      for (int i = 0; i < x.length; i++) input.set(i, x[i]);
      program.run(launch.on(buffers), SimulatorOptions.defaults());
      return new TensorView(ElementType.F32, buffers.get("Y"), Layout.of(x.length, 1)).values();
    }

    Optional<String> violation(double[] x) {
      var expected = family.workload(choice).reference().of(Map.of("X", x)).getFirst();
      return Comparison.of(of(x), expected.exact(), expected.stepwise(), ElementType.F32,
          IntStream.range(0, x.length).toArray()).violation();
    }
  }

  /**
   * Of rows like these about one in fifty is beyond with quick exponentials, or with sums that are only FP32 numbers.
   */
  @ParameterizedTest(name = "{0} of {1} numbers")
  @CsvSource({"grid_softmax, 5", "grid_softmax, 33", "grid_softmax, 257"})
  void theErrorRuleHoldsForEverySeed(String name, int n) {
    var softmax = new Softmax(name, n);
    for (int seed = 0; seed < SEEDS; seed++) {
      var random = new SplittableRandom(seed);
      var x = DoubleStream.generate(random::nextGaussian).limit(n).map(v -> (float) v).toArray();
      assertEquals(Optional.empty(), softmax.violation(x), "seed " + seed);
    }
  }

  /** Where all differences to the largest are exact, nothing excuses an element, however small it is. */
  @ParameterizedTest(name = "{0} of {1} numbers from -{2} to 0")
  @CsvSource({"grid_softmax, 2, 103", "grid_softmax, 5, 80", "grid_softmax, 33, 80", "grid_softmax, 8300, 12"})
  void noElementIsOffByMoreThanItsRounding(String name, int n, int spread) {
    var softmax = new Softmax(name, n);
    var random = new SplittableRandom(n);
    for (int row = 0; row < ROWS; row++) {
      var x = random.doubles(n).map(u -> -Math.rint(u * spread * FRACTIONS) / FRACTIONS).toArray();
      assertRounded(x, softmax.of(x));
    }
  }

  private static void assertRounded(double[] x, double[] y) {
    double largest = Arrays.stream(x).max().orElseThrow();
    double sum = Arrays.stream(x).map(v -> Math.exp(v - largest)).sum();
    for (int i = 0; i < x.length; i++) {
      double exact = Math.exp(x[i] - largest) / sum;
      double ulps = Math.abs(y[i] - exact) / ElementType.F32.ulp(exact);
      assertTrue(ulps <= ULPS, "element " + i + " is " + y[i] + ", exactly " + exact + ": off by " + ulps + " units");
    }
  }
}
