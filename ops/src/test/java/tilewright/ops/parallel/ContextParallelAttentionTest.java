package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tilewright.ops.parallel.ContextParallelAttention.ALL_GATHER;
import static tilewright.ops.parallel.ContextParallelAttention.ALL_TO_ALL;
import static tilewright.ops.parallel.ContextParallelAttention.RING;

import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/** Attention over devices against the whole sequence's in FP64. */
class ContextParallelAttentionTest extends OverDevices {
  private static final ElementType BF16 = ElementType.BF16;
  private static final int HEADS = 4;
  private static final int KEY_HEADS = 2;
  private static final int DIM = 32;

  static Stream<Arguments> cases() {
    var quick = Stream.of(Arguments.of(RING, 2, 64, 2, true), Arguments.of(RING, 2, 64, 1, false),
        Arguments.of(RING, 4, 64, 1, true), Arguments.of(ALL_GATHER, 2, 64, 2, true),
        Arguments.of(ALL_GATHER, 4, 64, 1, false), Arguments.of(ALL_TO_ALL, 2, 64, 2, true));
    return Boolean.getBoolean("tilewright.full") ? Stream.concat(quick, full()) : quick;
  }

  private static Stream<Arguments> full() {
    var ofHeads = Stream.of(Arguments.of(ALL_TO_ALL, 1, 32, 1, true), Arguments.of(ALL_TO_ALL, 2, 128, 1, false));
    return Stream.concat(ofHeads, Stream.of(RING, ALL_GATHER).flatMap(way -> Stream.of(
        Arguments.of(way, 1, 32, 1, true),
        Arguments.of(way, 4, 128, 1, true), Arguments.of(way, 4, 64, 2, false), Arguments.of(way, 8, 128, 1, true),
        Arguments.of(way, 8, 256, 1, false))));
  }

  @ParameterizedTest(name = "{0} over {1}, {2} tokens of {3} entries, causal: {4}")
  @MethodSource("cases")
  void ranksComputeTheAttentionOfTheWholeSequence(ContextParallelAttention way, int size, int tokens, int batch,
      boolean causal) {
    requireAttention(way, size, tokens, batch, causal, ContextParallelAttentionTest::numbersOf);
  }

  @ParameterizedTest
  @EnumSource
  void replaysComputeTheAttentionOfWhatTensorsHoldThen(ContextParallelAttention way) {
    requireAttention(way, 2, 64, 1, true, ContextParallelAttentionTest::numbersOfReplay);
  }

  /** A way to get the numbers of a rank's attention. */
  @FunctionalInterface
  private interface Run {
    float[] numbers(Communicator ranks, List<DeviceTensor> inputs,
        Function<List<DeviceTensor>, DeviceTensor> attention);
  }

  private static float[] numbersOf(Communicator ranks, List<DeviceTensor> inputs,
      Function<List<DeviceTensor>, DeviceTensor> attention) {
    try (var output = attention.apply(inputs)) {
      return output.floats();
    }
  }

  /** Captures attention on zeros, and replays it on the inputs. */
  private static float[] numbersOfReplay(Communicator ranks, List<DeviceTensor> inputs,
      Function<List<DeviceTensor>, DeviceTensor> attention) {
    var ops = ranks.ops();
    var zeros = inputs.stream().map(input -> ops.zeros(BF16, input.shape())).toList();
    var result = ops.empty(BF16, inputs.getFirst().shape());
    try (var captured = ranks.capture(() -> {
      try (var output = attention.apply(zeros)) {
        ops.copy(output, result);
      }
    })) {
      for (int i = 0; i < zeros.size(); i++) ops.copy(inputs.get(i), zeros.get(i));
      captured.replay();
      return result.floats();
    }
  }

  private void requireAttention(ContextParallelAttention way, int size, int tokens, int batch, boolean causal,
      Run run) {
    var random = new Random(34);
    var q = numbers(random, batch * tokens * HEADS * DIM);
    var k = numbers(random, batch * tokens * KEY_HEADS * DIM);
    var v = numbers(random, batch * tokens * KEY_HEADS * DIM);
    var order = new ZigZag(size, tokens);
    var options = causal ? AttentionOptions.of().causal() : AttentionOptions.of();
    var outputs = each(size, ranks -> {
      var ops = ranks.ops();
      int each = tokens / size;
      return run.numbers(ranks, List.of(
          ops.tensor(BF16, part(q, batch, order, ranks), batch, each, HEADS, DIM),
          ops.tensor(BF16, part(k, batch, order, ranks), batch, each, KEY_HEADS, DIM),
          ops.tensor(BF16, part(v, batch, order, ranks), batch, each, KEY_HEADS, DIM)),
          inputs -> way.apply(ranks, inputs.get(0), inputs.get(1), inputs.get(2), options));
    });
    for (int rank = 0; rank < size; rank++) {
      var positions = order.positions(rank);
      for (int b = 0; b < batch; b++) {
        for (int row = 0; row < positions.length; row++) {
          for (int head = 0; head < HEADS; head++) {
            int keys = causal ? positions[row] + 1 : tokens;
            var expected = attention(q, k, v, tokens, b, positions[row], head, keys);
            for (int d = 0; d < DIM; d++) {
              int at = ((b * positions.length + row) * HEADS + head) * DIM + d;
              assertEquals(expected[d], outputs.get(rank)[at], tolerance(expected[d]), "rank " + rank + ", row " + row);
            }
          }
        }
      }
    }
  }

  /** Probabilities, partial outputs and the output are rounded to 8 bits each. */
  private static double tolerance(double expected) {
    return 2 * BF16.ulp(1) + BF16.ulp(expected);
  }

  private static float[] numbers(Random random, int count) {
    var numbers = new float[count];
    for (int i = 0; i < count; i++) numbers[i] = (float) BF16.round(random.nextGaussian());
    return numbers;
  }

  /** A rank's tokens of each entry. */
  private static float[] part(float[] all, int batch, ZigZag order, Communicator ranks) {
    int entry = all.length / batch;
    int share = entry / order.ranks();
    var parts = new float[batch * share];
    for (int b = 0; b < batch; b++) {
      var whole = new float[entry];
      System.arraycopy(all, b * entry, whole, 0, entry);
      System.arraycopy(order.part(whole, ranks.rank()), 0, parts, b * share, share);
    }
    return parts;
  }

  /** A row of the output, from as many keys as it sees. */
  private static double[] attention(float[] q, float[] k, float[] v, int tokens, int b, int query, int head, int keys) {
    int first = ((b * tokens + query) * HEADS + head) * DIM;
    var rows = IntStream.range(0, keys)
        .map(key -> ((b * tokens + key) * KEY_HEADS + head / (HEADS / KEY_HEADS)) * DIM).toArray();
    var weights = IntStream.of(rows).mapToDouble(row -> Math.exp(IntStream.range(0, DIM)
        .mapToDouble(d -> (double) q[first + d] * k[row + d]).sum() / Math.sqrt(DIM))).toArray();
    double sum = DoubleStream.of(weights).sum();
    return IntStream.range(0, DIM).mapToDouble(d -> IntStream.range(0, keys)
        .mapToDouble(key -> weights[key] * v[rows[key] + d]).sum() / sum).toArray();
  }

  @Test
  void chunksAreBalanced() {
    var order = new ZigZag(2, 8);
    assertArrayEquals(new int[] {0, 1, 6, 7}, order.positions(0));
    assertArrayEquals(new int[] {2, 3, 4, 5}, order.positions(1));
    assertArrayEquals(new float[] {0, 1, 6, 7}, order.part(new float[] {0, 1, 2, 3, 4, 5, 6, 7}, 0));
  }

  @Test
  void whatRanksCannotShareIsRefused() {
    var uneven = assertThrows(IllegalArgumentException.class, () -> new ZigZag(2, 10));
    assertTrue(uneven.getMessage().contains("pad the sequence"), uneven::getMessage);
    var ranks = Communicator.among(List.of(Ops.simulator())).getFirst();
    var x = ranks.ops().empty(BF16, 1, 4, 1, DIM);
    var window = assertThrows(IllegalArgumentException.class, () -> ContextParallelAttention.RING.apply(ranks, x, x, x,
        AttentionOptions.of().window(3, 0)));
    assertTrue(window.getMessage().contains("no window 3,0"), window::getMessage);
    var two = Communicator.among(Ops.simulators(2)).getFirst();
    var odd = two.ops().empty(BF16, 1, 4, 3, DIM);
    var heads = assertThrows(IllegalArgumentException.class, () -> ContextParallelAttention.ALL_TO_ALL.apply(two, odd,
        odd, odd, AttentionOptions.of()));
    assertTrue(heads.getMessage().contains("among 2 ranks"), heads::getMessage);
    var shorter = x.slice(1, 0, 2);
    var shapes = assertThrows(IllegalArgumentException.class, () -> ContextParallelAttention.RING.apply(ranks, x,
        shorter, shorter, AttentionOptions.of()));
    assertTrue(shapes.getMessage().contains("do not fit"), shapes::getMessage);
  }
}
