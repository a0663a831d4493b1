package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;

/**
 * The closed gradients beside central differences of the loss Σ O ∘ dO, which know only the forward in FP64. A step of
 * 10⁻⁴ leaves step² / 6 = 2 · 10⁻⁹ times the third derivative, at most some hundreds for inputs of deviation 1, and
 * 10⁻¹² of rounding.
 */
class AttentionDifferencesTest {
  private static final double STEP = 1e-4;
  private static final double TOLERANCE = 1e-6;
  private static final int SEEDS = 6;

  /** The options of attention. */
  private enum Option {
    NONE, CAUSAL, WINDOW, PAST, DOCUMENTS, SOFTCAP, ALIBI, SQUARE, ALL;

    ScoreRule rule(int queries, int keys) {
      return switch (this) {
        case NONE -> ScoreRule.NONE;
        case CAUSAL -> ScoreRule.causal(queries, keys);
        case WINDOW -> ScoreRule.window(queries, keys, 1, 1);
        // Keys strictly before the query's own position: the first query sees none.
        case PAST -> ScoreRule.window(queries, keys, 2, -1);
        case DOCUMENTS -> ScoreRule.mask((b, h, q, k) -> q / 2 == k / 2);
        case SOFTCAP -> ScoreRule.softcap(0.7);
        case ALIBI -> ScoreRule.bias((b, h, q, k) -> 0.3 * (h + 1) * (k - q));
        case SQUARE -> square();
        case ALL -> ScoreRule.softcap(2).and(square()).and(ALIBI.rule(queries, keys)).and(ScoreRule.softcap(3))
            .and(CAUSAL.rule(queries, keys));
      };
    }

    private static ScoreRule square() {
      return new ScoreRule() {
        @Override
        public double change(double score, int b, int h, int q, int k) {
          return score - 0.2 * (h + 1) * score * score;
        }

        @Override
        public double slope(double score, int b, int h, int q, int k) {
          return 1 - 0.4 * (h + 1) * score;
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void closedGradientsAreTheFiniteDifferences(Option option) {
    LongStream.range(0, SEEDS).forEach(seed -> {
      var random = new Random(seed);
      int batches = 1 + random.nextInt(2);
      int queries = 1 + random.nextInt(5);
      int keys = 1 + random.nextInt(5);
      int keyHeads = 1 + random.nextInt(2);
      int heads = keyHeads * (1 + random.nextInt(3));
      int dim = 1 + random.nextInt(4);
      int valueDim = 1 + random.nextInt(4);
      var forward = new AttentionReference(normal(random, batches, queries, heads, dim),
          normal(random, batches, keys, keyHeads, dim), normal(random, batches, keys, keyHeads, valueDim), 0.6,
          option.rule(queries, keys));
      assertDifferences(option + " seed " + seed, forward, normal(random, batches, queries, heads, valueDim));
    });
  }

  private static void assertDifferences(String problem, AttentionReference forward, TensorView dO) {
    var gradient = new AttentionGradient(forward, dO).exact();
    var closed = List.of(gradient.dq(), gradient.dk(), gradient.dv());
    var tensors = List.of(forward.q(), forward.k(), forward.v());
    for (int t = 0; t < 3; t++) {
      double[] actual = closed.get(t);
      double largest = Arrays.stream(actual).map(Math::abs).max().orElseThrow();
      for (int i = 0; i < actual.length; i++) {
        assertEquals(difference(forward, tensors.get(t), i, dO), actual[i], TOLERANCE * Math.max(1, largest),
            problem + ", Q " + forward.q().layout() + ", K " + forward.k().layout() + ", V " + forward.v().layout()
                + ", gradient by " + "QKV".charAt(t) + " at " + i);
      }
    }
  }

  private static double difference(AttentionReference forward, TensorView tensor, int i, TensorView dO) {
    double value = tensor.value(i);
    tensor.set(i, value + STEP);
    double above = loss(forward, dO);
    tensor.set(i, value - STEP);
    double below = loss(forward, dO);
    tensor.set(i, value);
    return (above - below) / (2 * STEP);
  }

  private static double loss(AttentionReference forward, TensorView dO) {
    var o = forward.exact().o();
    double sum = 0;
    for (int i = 0; i < o.length; i++) sum += o[i] * dO.value(i);
    return sum;
  }

  /** Views of packed sequences beside one sequence whose mask keeps documents apart, one of them without keys. */
  @Test
  void packedSequencesAreDocumentsOfOne() {
    int[] firstQuery = {0, 3, 5, 5, 9};
    int[] firstKey = {0, 2, 2, 4, 9};
    var random = new Random(7);
    var q = normal(random, 1, 9, 4, 3);
    var k = normal(random, 1, 9, 2, 3);
    var v = normal(random, 1, 9, 2, 2);
    var dO = normal(random, 1, 9, 4, 2);
    int sequences = firstQuery.length - 1;
    var documents = ScoreRule.mask((b, h, query, key) -> IntStream.range(0, sequences).anyMatch(s ->
        query >= firstQuery[s] && query < firstQuery[s + 1] && key >= firstKey[s] && key < firstKey[s + 1]
            && firstKey[s + 1] - key >= firstQuery[s + 1] - query));
    var whole = new AttentionReference(q, k, v, 0.6, documents);
    assertDifferences("documents", whole, dO);
    var expected = new AttentionGradient(whole, dO).exact();
    for (int s = 0; s < sequences; s++) {
      int queries = firstQuery[s + 1] - firstQuery[s];
      int keys = firstKey[s + 1] - firstKey[s];
      var part = new AttentionReference(sequence(q, firstQuery[s], queries), sequence(k, firstKey[s], keys),
          sequence(v, firstKey[s], keys), 0.6, ScoreRule.causal(queries, keys));
      var actual = new AttentionGradient(part, sequence(dO, firstQuery[s], queries)).exact();
      assertArrayEquals(rows(expected.dq(), 4 * 3, firstQuery[s], queries), actual.dq(), 1e-14);
      assertArrayEquals(rows(expected.dk(), 2 * 3, firstKey[s], keys), actual.dk(), 1e-14);
      assertArrayEquals(rows(expected.dv(), 2 * 2, firstKey[s], keys), actual.dv(), 1e-14);
    }
  }

  private static TensorView sequence(TensorView view, int first, int rows) {
    var layout = view.layout();
    var shape = IntStream.range(0, 4).mapToLong(mode -> mode == 1 ? rows : layout.mode(mode).size()).toArray();
    var strides = IntStream.range(0, 4).mapToLong(mode -> stride(layout, mode)).toArray();
    return new TensorView(view.type(), view.data(), view.offset() + first * strides[1] * view.type().bytes(),
        new Layout(IntTuple.flat(shape), IntTuple.flat(strides)));
  }

  private static long stride(Layout layout, int mode) {
    return layout.mode(mode).size() == 1 ? 0 : layout.mode(mode).apply(1);
  }

  /** Some positions of values in the order (position, column) of a batch of one. */
  private static double[] rows(double[] values, int columns, int first, int rows) {
    int all = values.length / columns;
    return IntStream.range(0, rows * columns).mapToDouble(i -> values[first + i % rows + all * (i / rows)]).toArray();
  }

  /** A tensor with its modes in any order in memory and gaps between them. */
  private static TensorView normal(Random random, int... extents) {
    var order = new ArrayList<>(List.of(0, 1, 2, 3));
    Collections.shuffle(order, random);
    var strides = new long[4];
    long next = 1;
    for (int mode : order) {
      next += random.nextInt(3);
      strides[mode] = next;
      next *= extents[mode];
    }
    var layout = new Layout(IntTuple.flat(Arrays.stream(extents).asLongStream().toArray()), IntTuple.flat(strides));
    var view = new TensorView(ElementType.F64, MemorySegment.ofArray(new byte[(int) layout.cosize() * 8]), layout);
    Inputs.normal(view, random.nextLong());
    return view;
  }
}
