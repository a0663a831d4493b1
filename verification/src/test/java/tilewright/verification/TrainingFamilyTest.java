package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.FamilyCases;

/** Properties of a step of training that hold without a reference. */
class TrainingFamilyTest {
  private static final int IGNORED = -100;
  /** FP32 roundings of a probability, but for those that grow with its distance from the largest. */
  private static final double ROUNDINGS = 8;

  /** Rows held in registers, in shared memory too, walked through, and shared by a cluster. */
  static Stream<Map<String, String>> forms() {
    return Stream.of(Map.of("n", "63"), Map.of("n", "1000", "gradient", "inplace"), Map.of("n", "4096"),
        Map.of("n", "33001"), Map.of("n", "33001", "gradient", "inplace"), Map.of("n", "4096", "cluster", "2"),
        Map.of("n", "4096", "cluster", "2", "gradient", "inplace"));
  }

  /** Every 32-bit integer that is no column is told from those that are. */
  @ParameterizedTest
  @MethodSource("forms")
  void onlyColumnsAreTargets(Map<String, String> form) {
    int n = Integer.parseInt(form.get("n"));
    int[] targets = {0, n - 1, n / 2, IGNORED, -1, n, -101, -99, Integer.MIN_VALUE, Integer.MAX_VALUE};
    var run = new Entropy(form, targets, new double[targets.length * n]).run();
    for (int row = 0; row < targets.length; row++) {
      int target = targets[row];
      boolean column = target >= 0 && target < n;
      double loss = run.losses[row];
      var gradient = Arrays.copyOfRange(run.gradients, row * n, (row + 1) * n);
      if (column) {
        assertEquals(Math.log(n), loss, 1e-5);
        for (int i = 0; i < n; i++) assertEquals((i == target ? 1.0 / n - 1 : 1.0 / n), gradient[i], 1e-6);
      } else if (target == IGNORED) {
        assertEquals(0, loss);
        assertArrayEquals(new double[n], gradient);
      } else {
        assertTrue(Double.isNaN(loss) && Arrays.stream(gradient).allMatch(Double::isNaN), "target " + target);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("forms")
  void anIgnoredRowIsZeroWhateverItsLogits(Map<String, String> form) {
    int n = Integer.parseInt(form.get("n"));
    var logits = new double[2 * n];
    logits[0] = Double.NaN;
    Arrays.fill(logits, n, 2 * n, Double.NEGATIVE_INFINITY);
    var run = new Entropy(form, new int[] {IGNORED, IGNORED}, logits).run();
    assertArrayEquals(new double[2], run.losses);
    assertArrayEquals(new double[2 * n], run.gradients);
  }

  /** Logits on a grid of 1/16, so that adding 10⁵ is exact: the loss and the gradient keep every bit. */
  @ParameterizedTest
  @MethodSource("forms")
  void aMeanOfTheLogitsChangesNothing(Map<String, String> form) {
    int n = Integer.parseInt(form.get("n"));
    var random = new SplittableRandom(28);
    var logits = IntStream.range(0, 2 * n).mapToDouble(_ -> random.nextInt(-64, 64) / 16.0).toArray();
    int[] targets = {n / 3, n - 1};
    var plain = new Entropy(form, targets, logits).run();
    var shifted = new Entropy(form, targets, Arrays.stream(logits).map(x -> x + 1e5).toArray()).run();
    assertArrayEquals(plain.losses, shifted.losses);
    assertArrayEquals(plain.gradients, shifted.gradients);
    assertEquals(0, Arrays.stream(plain.gradients, 0, n).sum(), 1e-5);
  }

  /** Each probability by itself, because the error rule allows all what the target's rounding costs. */
  @ParameterizedTest
  @MethodSource("forms")
  void smallProbabilitiesAreOffByTheirRoundingsOnly(Map<String, String> form) {
    int n = Integer.parseInt(form.get("n"));
    var random = new SplittableRandom(29);
    var logits = random.doubles(n).map(u -> (float) (16 * u - 8)).toArray();
    var gradient = new Entropy(form, new int[] {n / 3}, logits).run().gradients;
    double max = Arrays.stream(logits).max().orElseThrow();
    double sum = Arrays.stream(logits).map(x -> Math.exp(x - max)).sum();
    for (int i = 0; i < n; i++) {
      double exact = Math.exp(logits[i] - max) / sum;
      double allowed = i == n / 3 ? Math.ulp(1f) : exact * (ROUNDINGS + max - logits[i]) * Math.ulp(1f);
      assertEquals(exact - (i == n / 3 ? 1 : 0), gradient[i], allowed, form + ": element " + i);
    }
  }

  /** With moments of zero the bias corrections cancel, and every parameter moves by the rate against its gradient. */
  @Test
  void theFirstStepFollowsTheSign() {
    double[] p = {1, -2, 0.5, 3};
    double[] g = {1e-3, -5, 1e4, 0};
    var after = new Adam(Map.of("step", "1", "lr", "0.25", "decay", "0"), p, g).run();
    assertArrayEquals(new double[] {0.75, -1.75, 0.25, 3}, after, 1e-5);
  }

  @Test
  void decayPullsTowardsZeroWithoutAGradient() {
    var after = new Adam(Map.of("step", "1", "lr", "0.5", "decay", "0.5"), new double[] {4, -8}, new double[2]).run();
    assertArrayEquals(new double[] {3, -6}, after);
  }

  /** Logits, their targets and the variant. */
  private record Entropy(Map<String, String> form, int[] targets, double[] logits) {
    private record Results(double[] losses, double[] gradients) {}

    Results run() {
      var results = launched("cross_entropy", with(form, "m", targets.length), Map.of("X", logits,
          "T", Arrays.stream(targets).asDoubleStream().toArray()));
      return new Results(results.get("L"), results.getOrDefault("D", results.get("X")));
    }
  }

  private record Adam(Map<String, String> settings, double[] p, double[] g) {
    double[] run() {
      return launched("adamw", with(settings, "n", p.length),
          Map.of("P", p, "G", g, "M", new double[p.length], "V", new double[p.length])).get("P");
    }
  }

  private static Map<String, String> with(Map<String, String> settings, String name, int value) {
    var more = new LinkedHashMap<>(settings);
    more.put(name, Integer.toString(value));
    return more;
  }

  /** All tensors after a launch on these. */
  private static Map<String, double[]> launched(String name, Map<String, String> settings, Map<String, double[]> given) {
    Family family = RegisteredFamilies.named(name);
    Choice choice = family.defaults().with(settings);
    var workload = family.workload(choice);
    var buffers = FamilyCases.buffers(family, choice, 1);
    var views = new LinkedHashMap<String, TensorView>();
    for (var operand : workload.operands()) {
      var view = view(operand.type(), operand.elements(), buffers.get(operand.name()));
      var values = given.getOrDefault(operand.name(), new double[0]);
      for (int i = 0; i < values.length; i++) view.set(i, values[i]);
      views.put(operand.name(), view);
    }
    Simulator.load(workload.launch().kernel().module()).run(workload.launch().on(buffers), SimulatorOptions.defaults());
    var results = new LinkedHashMap<String, double[]>();
    views.forEach((tensor, view) -> results.put(tensor, view.values()));
    return results;
  }

  private static TensorView view(ElementType type, long elements, MemorySegment buffer) {
    return new TensorView(type, buffer, Layout.of(elements, 1));
  }
}
