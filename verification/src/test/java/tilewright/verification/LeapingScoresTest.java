package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.attention.AttentionProblem.Quantized;
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
 * Hopper attention where scores leap from block to block. Only the first column of Q is not zero, so that the first of
 * K has the scores.
 */
class LeapingScoresTest {
  private static final int DIM = 64;
  private static final int BLOCK = 32;
  private static final int KEYS = 5 * BLOCK;
  private static final int QUERIES = 192;
  /** The factor of K's codes, which reach to the highest scores with it. */
  private static final float FACTOR = 4;

  /** How P is computed, and how exact O is then: as P is rounded, except where one key has all of it. */
  enum Form {
    HALVES(ElementType.BF16, new Shape(DIM, DIM, 2, BLOCK, 2, 2, DIM, true), 0x1p-7),
    BYTES(ElementType.E4M3, new Shape(DIM, DIM, 2, BLOCK, 2, 2, DIM, true), 0x1p-5),
    ANTICIPATED(ElementType.E4M3, new Shape(DIM, DIM, 2, BLOCK, 2, 2, DIM, true, true), 0x1p-5),
    ANTICIPATED_BY_THREE(ElementType.E4M3, new Shape(DIM, DIM, 3, BLOCK, 2, 1, DIM, false, true), 0x1p-5);

    private final ElementType type;
    private final Shape shape;
    private final double tolerance;

    Form(ElementType type, Shape shape, double tolerance) {
      this.type = type;
      this.shape = shape;
      this.tolerance = tolerance;
    }

    /** The score that K holds for one. */
    double rounded(double score) {
      return type == ElementType.E4M3 ? FACTOR * type.round(score / FACTOR) : type.round(score);
    }
  }

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

  static Stream<Arguments> formsAndScores() {
    return Arrays.stream(Form.values()).flatMap(form -> Arrays.stream(Scores.values())
        .map(scores -> Arguments.of(form, scores)));
  }

  @ParameterizedTest
  @MethodSource("formsAndScores")
  void outputAndLogarithmsAreThoseOfTheDefinition(Form form, Scores scores) {
    var values = new double[KEYS];
    Arrays.setAll(values, key -> form.rounded(scores.of.applyAsDouble(key)));
    var result = attend(form, values, new double[QUERIES]);
    double largest = Arrays.stream(values).max().orElseThrow();
    double sum = Arrays.stream(values).map(s -> Math.exp(s - largest)).sum();
    for (int column = 0; column < DIM; column++) {
      double expected = 0;
      for (int key = 0; key < KEYS; key++) expected += Math.exp(values[key] - largest) / sum * value(key, column);
      for (int query = 0; query < QUERIES; query++) {
        assertEquals(expected, result.o[query * DIM + column], form.tolerance * Math.max(1, Math.abs(expected)),
            "O of query " + query + " in column " + column);
      }
    }
    for (int query = 0; query < QUERIES; query++) {
      double expected = largest + Math.log(sum);
      assertEquals(expected, result.lse[query], 1e-5 * Math.max(1, Math.abs(expected)), "LSE of query " + query);
    }
  }

  /** A row whose scores leap has neighbours in its warp whose scores do not. */
  @ParameterizedTest
  @EnumSource
  void rowsDoNotDependOnTheirNeighbours(Form form) {
    var values = new double[KEYS];
    Arrays.setAll(values, key -> form.rounded(key % 7 * 0.25 + (key == 3 ? 40 : 0)));
    var calm = new double[QUERIES];
    Arrays.fill(calm, -1);
    var mixed = calm.clone();
    for (int query = 0; query < QUERIES; query += 5) mixed[query] = 0;
    var alone = attend(form, values, calm);
    var beside = attend(form, values, mixed);
    for (int query = 0; query < QUERIES; query++) {
      if (mixed[query] == 0) continue;
      assertArrayEquals(Arrays.copyOfRange(alone.o, query * DIM, (query + 1) * DIM),
          Arrays.copyOfRange(beside.o, query * DIM, (query + 1) * DIM), "O of query " + query);
      assertEquals(alone.lse[query], beside.lse[query], "LSE of query " + query);
    }
    assertTrue(beside.lse[0] > 30, "query 0 leaps");
  }

  /** A key in a late block has nearly all of P, whatever that is rounded to. */
  @ParameterizedTest
  @EnumSource
  void rowThatOneKeyDominatesIsThatKeysValue(Form form) {
    for (double score = 9; score < 13; score++) {
      double highest = score;
      var values = new double[KEYS];
      Arrays.setAll(values, key -> form.rounded(key == 7 ? highest : key < KEYS - BLOCK ? -12 : 0));
      var result = attend(form, values, new double[QUERIES]);
      for (int column = 0; column < DIM; column++) {
        assertEquals(value(7, column), result.o[column], 0x1p-7, "score " + score + ", column " + column);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void infiniteScoreGivesNoNumber(Form form) {
    var values = new double[KEYS];
    // Codes of 8 bits have no infinity, but NaN.
    values[3] = form.type == ElementType.E4M3 ? Double.NaN : Double.POSITIVE_INFINITY;
    var result = attend(form, values, new double[QUERIES]);
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
  private static Result attend(Form form, double[] scores, double[] ofQueries) {
    var sizes = new Sizes(1, QUERIES, KEYS, 1, 1, DIM, DIM);
    boolean bytes = form.type == ElementType.E4M3;
    var problem = bytes ? AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes)
        : AttentionProblem.dense(form.type, sizes);
    double scale = problem.scale();
    var q = new double[QUERIES * DIM];
    var k = new double[KEYS * DIM];
    var v = new double[KEYS * DIM];
    for (int query = 0; query < QUERIES; query++) q[query * DIM] = (ofQueries[query] == 0 ? 1 : -1) / scale;
    for (int key = 0; key < KEYS; key++) {
      k[key * DIM] = bytes ? scores[key] / FACTOR : scores[key];
      for (int column = 0; column < DIM; column++) v[key * DIM + column] = value(key, column);
    }
    var buffers = new HashMap<>(Map.of("Q", filled(form.type, q), "K", filled(form.type, k), "V", filled(form.type, v),
        "O", Buffers.poisoned(ElementType.BF16, QUERIES * DIM), "LSE", Buffers.poisoned(ElementType.F32, QUERIES),
        "tiles", MemorySegment.ofArray(new int[1])));
    if (bytes) {
      buffers.putAll(Map.of("descaleQ", filled(ElementType.F32, new double[] {1}), "descaleK",
          filled(ElementType.F32, new double[] {FACTOR}), "descaleV", filled(ElementType.F32, new double[] {1})));
    }
    var outcome = new SimulatorBackend(1).run(Sm90AttentionKernel.prepare(problem, form.shape).on(buffers));
    assertEquals(List.of(), outcome.findings());
    return new Result(row(ElementType.BF16, buffers.get("O"), QUERIES * DIM).values(),
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
