package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/** Gradients of attention over devices against those of the whole sequence in FP64. */
class ContextParallelGradientsTest extends OverDevices {
  private static final ElementType BF16 = ElementType.BF16;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 32;

  /** The way, ranks, tokens, and whether causal. */
  static Stream<Arguments> cases() {
    var quick = Stream.of(Arguments.of(ContextParallelAttention.ALL_TO_ALL, 2, 32, false),
        Arguments.of(ContextParallelAttention.RING, 4, 32, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 2, 32, true));
    return !Boolean.getBoolean("tilewright.full") ? quick : Stream.concat(quick, Stream.of(
        Arguments.of(ContextParallelAttention.RING, 1, 32, true),
        Arguments.of(ContextParallelAttention.RING, 2, 32, true),
        Arguments.of(ContextParallelAttention.RING, 2, 32, false),
        Arguments.of(ContextParallelAttention.ALL_TO_ALL, 2, 64, true),
        Arguments.of(ContextParallelAttention.ALL_TO_ALL, 1, 32, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 1, 32, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 2, 128, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 4, 64, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 8, 64, true),
        Arguments.of(ContextParallelAttention.ALL_GATHER, 4, 64, false),
        Arguments.of(ContextParallelAttention.RING, 8, 128, true),
        Arguments.of(ContextParallelAttention.RING, 8, 64, false)));
  }

  /** Numbers of all tokens, (S,H,D). */
  private record Inputs(int tokens, double[] q, double[] k, double[] v, double[] gradient) {
    static Inputs random(int tokens) {
      var random = new Random(34);
      return new Inputs(tokens, numbers(random, tokens * HEADS * DIM), numbers(random, tokens * KEY_HEADS * DIM),
          numbers(random, tokens * KEY_HEADS * DIM), numbers(random, tokens * HEADS * DIM));
    }

    private static double[] numbers(Random random, int count) {
      var numbers = new double[count];
      for (int i = 0; i < count; i++) numbers[i] = BF16.round(random.nextGaussian());
      return numbers;
    }
  }

  @ParameterizedTest(name = "{0} over {1}, {2} tokens, causal: {3}")
  @MethodSource("cases")
  void ranksComputeTheGradientsOfTheWholeSequence(ContextParallelAttention way, int size, int tokens,
      boolean causal) {
    var inputs = Inputs.random(tokens);
    var order = new ZigZag(size, tokens);
    var options = causal ? AttentionOptions.of().causal() : AttentionOptions.of();
    var results = each(size, ranks -> {
      try (var q = part(ranks, order, inputs.q, HEADS); var k = part(ranks, order, inputs.k, KEY_HEADS);
          var v = part(ranks, order, inputs.v, KEY_HEADS); var gradient = part(ranks, order, inputs.gradient, HEADS);
          var forward = way.forward(ranks, q, k, v, options);
          var gradients = way.gradients(ranks, q, k, v, forward, gradient, options)) {
        return List.of(gradients.q().floats(), gradients.k().floats(), gradients.v().floats());
      }
    });
    var expected = gradients(inputs, causal);
    for (int rank = 0; rank < size; rank++) {
      for (int which = 0; which < expected.size(); which++) {
        var all = new float[expected.get(which).length];
        for (int i = 0; i < all.length; i++) all[i] = (float) expected.get(which)[i];
        var mine = order.part(all, rank);
        var result = results.get(rank).get(which);
        assertEquals(mine.length, result.length);
        for (int i = 0; i < mine.length; i++) {
          assertEquals(mine[i], result[i], tolerance(mine[i]), "rank " + rank + ", " + "QKV".charAt(which)
              + ", element " + i);
        }
      }
    }
  }

  /** Outputs, probabilities, their gradients and shares are rounded to 8 bits each. */
  private static double tolerance(double expected) {
    return 6 * BF16.ulp(1) + 3 * BF16.ulp(expected);
  }

  private static DeviceTensor part(Communicator ranks, ZigZag order, double[] all, int heads) {
    var floats = new float[all.length];
    for (int i = 0; i < all.length; i++) floats[i] = (float) all[i];
    return ranks.ops().tensor(BF16, order.part(floats, ranks.rank()), 1, 2L * order.chunk(), heads, DIM);
  }

  /** dV = Pᵀ·dO, dP = dO·Vᵀ, dS = P ∘ (dP − rowsum(P ∘ dP)) · scale, dQ = dS·K, dK = dSᵀ·Q. */
  private static List<double[]> gradients(Inputs in, boolean causal) {
    double scale = 1 / Math.sqrt(DIM);
    var dQ = new double[in.q.length];
    var dK = new double[in.k.length];
    var dV = new double[in.v.length];
    for (int row = 0; row < in.tokens * HEADS; row++) {
      int keys = causal ? row / HEADS + 1 : in.tokens;
      int head = row % HEADS / (HEADS / KEY_HEADS);
      var p = new double[keys];
      var dP = new double[keys];
      double sum = 0;
      for (int key = 0; key < keys; key++) {
        p[key] = Math.exp(scale * dot(in.q, row, in.k, key * KEY_HEADS + head));
        sum += p[key];
      }
      double weighted = 0;
      for (int key = 0; key < keys; key++) {
        p[key] /= sum;
        dP[key] = dot(in.gradient, row, in.v, key * KEY_HEADS + head);
        weighted += p[key] * dP[key];
      }
      for (int key = 0; key < keys; key++) {
        double dS = p[key] * (dP[key] - weighted) * scale;
        int at = (key * KEY_HEADS + head) * DIM;
        for (int d = 0; d < DIM; d++) {
          dQ[row * DIM + d] += dS * in.k[at + d];
          dK[at + d] += dS * in.q[row * DIM + d];
          dV[at + d] += p[key] * in.gradient[row * DIM + d];
        }
      }
    }
    return List.of(dQ, dK, dV);
  }

  private static double dot(double[] a, int row, double[] b, int other) {
    double sum = 0;
    for (int d = 0; d < DIM; d++) sum += a[row * DIM + d] * b[other * DIM + d];
    return sum;
  }

  @Test
  void whatDoesNotFitIsRefused() {
    var ranks = Communicator.among(Ops.simulators(1)).getFirst();
    var ops = ranks.ops();
    var x = ops.zeros(BF16, 1, 4, 1, DIM);
    var forward = new AttentionState(x, ops.empty(ElementType.F32, 1, 1, 4));
    for (var way : ContextParallelAttention.values()) {
      var gradient = assertThrows(IllegalArgumentException.class, () -> way.gradients(ranks, x, x, x, forward,
          x.slice(1, 0, 2), AttentionOptions.of()));
      assertTrue(gradient.getMessage().contains("the gradient of the output"), gradient::getMessage);
      var other = new AttentionState(x, ops.empty(ElementType.F32, 1, 4, 1));
      var logarithms = assertThrows(IllegalArgumentException.class, () -> way.gradients(ranks, x, x, x, other, x,
          AttentionOptions.of()));
      assertTrue(logarithms.getMessage().contains("the tensor of logarithms is f32(1,4,1)"), logarithms::getMessage);
    }
  }
}
