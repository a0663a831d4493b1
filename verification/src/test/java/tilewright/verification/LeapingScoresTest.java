package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/**
 * Hopper attention where scores leap from block to block. Only the first column of Q is not zero, so that the first of K
 * has the scores.
 */
class LeapingScoresTest {
  private static final int DIM = 64;
  private static final int BLOCK = 32;
  private static final int KEYS = 5 * BLOCK;
  private static final int QUERIES = 128;
  private static final Shape SHAPE = new Shape(DIM, DIM, 2, BLOCK, 2, 2, DIM, true);

  /** Scores by key. Blocks come from the last to the first. */
  enum Scores {
    /** Each block's largest is well above the one's before. */
    RISING(key -> (KEYS - key) / BLOCK * 12.0),
    /** Beyond what FP32 holds relative to the first block. */
    LEAPING(key -> key == 3 ? 1000 : key == 40 ? 990 : -1000),
    /** All below the first block's. */
    FALLING(key -> key / BLOCK * 12.0),
    /** All alike but for the first block's. */
    LEVEL(key -> key < KEYS - BLOCK ? 5 : 0),
    /** One key is as heavy as all others. */
    CREEPING(key -> key == 7 ? 3.25 : key % 3 * 0.5),
    /** Far below zero. */
    LOWEST(key -> key < BLOCK ? 0 : -60000);

    private final IntToDoubleFunction of;

    Scores(IntToDoubleFunction of) {
      this.of = of;
    }
  }

  @ParameterizedTest
  @EnumSource
  void outputAndLogarithmsAreThoseOfTheDefinition(Scores scores) {
    var values = new double[KEYS];
    Arrays.setAll(values, key -> ElementType.BF16.round(scores.of.applyAsDouble(key)));
    var result = attend(values, new double[QUERIES]);
    double largest = Arrays.stream(values).max().orElseThrow();
    double sum = Arrays.stream(values).map(s -> Math.exp(s - largest)).sum();
    for (int column = 0; column < DIM; column++) {
      double expected = 0;
      for (int key = 0; key < KEYS; key++) expected += Math.exp(values[key] - largest) / sum * value(key, column);
      for (int query = 0; query < QUERIES; query++) {
        assertEquals(expected, result.o[query * DIM + column], 0x1p-7 * Math.max(1, Math.abs(expected)),
            "O of query " + query + " in column " + column);
      }
    }
    for (int query = 0; query < QUERIES; query++) {
      double expected = largest + Math.log(sum);
      assertEquals(expected, result.lse[query], 1e-5 * Math.max(1, Math.abs(expected)), "LSE of query " + query);
    }
  }

  /** A row whose scores leap has neighbours in its warp whose scores do not. */
  @Test
  void rowsDoNotDependOnTheirNeighbours() {
    var values = new double[KEYS];
    Arrays.setAll(values, key -> key % 7 * 0.25 + (key == 3 ? 40 : 0));
    var calm = new double[QUERIES];
    Arrays.fill(calm, -1);
    var mixed = calm.clone();
    for (int query = 0; query < QUERIES; query += 5) mixed[query] = 0;
    var alone = attend(values, calm);
    var beside = attend(values, mixed);
    for (int query = 0; query < QUERIES; query++) {
      if (mixed[query] == 0) continue;
      assertArrayEquals(Arrays.copyOfRange(alone.o, query * DIM, (query + 1) * DIM),
          Arrays.copyOfRange(beside.o, query * DIM, (query + 1) * DIM), "O of query " + query);
      assertEquals(alone.lse[query], beside.lse[query], "LSE of query " + query);
    }
    assertTrue(beside.lse[0] > 30, "query 0 leaps");
  }

  @Test
  void infiniteScoreGivesNoNumber() {
    var values = new double[KEYS];
    values[3] = Double.POSITIVE_INFINITY;
    var result = attend(values, new double[QUERIES]);
    assertTrue(Double.isNaN(result.o[0]));
  }

  private record Result(double[] o, double[] lse) {}

  private static double value(int key, int column) {
    return (key + column) % 16 * 0.125 - 1;
  }

  /**
   * @param scores by key
   * @param ofQueries 0 for a query that has these scores, −1 for one that has their negatives
   */
  private static Result attend(double[] scores, double[] ofQueries) {
    var type = ElementType.BF16;
    var problem = AttentionProblem.dense(type, new Sizes(1, QUERIES, KEYS, 1, 1, DIM, DIM));
    double scale = problem.scale();
    var q = new double[QUERIES * DIM];
    var k = new double[KEYS * DIM];
    var v = new double[KEYS * DIM];
    for (int query = 0; query < QUERIES; query++) q[query * DIM] = (ofQueries[query] == 0 ? 1 : -1) / scale;
    for (int key = 0; key < KEYS; key++) {
      k[key * DIM] = scores[key];
      for (int column = 0; column < DIM; column++) v[key * DIM + column] = value(key, column);
    }
    var buffers = Map.of("Q", filled(type, q), "K", filled(type, k), "V", filled(type, v),
        "O", Buffers.poisoned(type, QUERIES * DIM), "LSE", Buffers.poisoned(ElementType.F32, QUERIES),
        "tiles", MemorySegment.ofArray(new int[1]));
    var outcome = new SimulatorBackend(1).run(Sm90AttentionKernel.prepare(problem, SHAPE).on(buffers));
    assertEquals(List.of(), outcome.findings());
    return new Result(row(type, buffers.get("O"), QUERIES * DIM).values(),
        row(ElementType.F32, buffers.get("LSE"), QUERIES).values());
  }

  private static MemorySegment filled(ElementType type, double[] values) {
    var memory = Buffers.zeros(type, values.length);
    var view = row(type, memory, values.length);
    for (int i = 0; i < values.length; i++) view.set(i, values[i]);
    return memory;
  }

  private static TensorView row(ElementType type, MemorySegment memory, int length) {
    return new TensorView(type, memory, Layout.of(length, 1));
  }
}
