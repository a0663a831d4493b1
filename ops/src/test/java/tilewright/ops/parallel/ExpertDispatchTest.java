package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/** Tokens sent to experts, which scale them, and added, against the definition. */
class ExpertDispatchTest extends OverDevices {
  private static final ElementType BF16 = ElementType.BF16;
  private static final int DIM = 16;

  /** Expert e multiplies by its own matrix, e + 1 on the diagonal; ranks have different numbers of tokens. */
  @ParameterizedTest(name = "{0} ranks, {1} experts, {2} choices")
  @CsvSource({"2,4,2", "4,64,8", "8,8,1", "1,2,2"})
  void tokensGetTheSumOfTheirExpertsResults(int size, int experts, int choices) {
    each(size, ranks -> {
      var ops = ranks.ops();
      int tokens = 3 * ranks.rank() % 5;
      var random = new Random(ranks.rank());
      var x = new float[tokens * DIM];
      for (int i = 0; i < x.length; i++) x[i] = random.nextInt(-8, 8);
      // Some experts have no token, and some tokens choose an expert twice.
      var chosen = random.ints((long) tokens * choices, 0, Math.max(1, experts - 1)).toArray();
      var weights = new float[chosen.length];
      for (int i = 0; i < weights.length; i++) weights[i] = random.nextInt(1, 5) / 4f;
      try (var input = ops.tensor(BF16, x, tokens, DIM);
          var choice = ops.ints(chosen, tokens, choices);
          var sent = ExpertDispatch.of(ranks, input, choice, experts);
          var results = ops.empty(BF16, sent.rows().size(0), DIM);
          var given = ops.tensor(ElementType.F32, weights, tokens, choices)) {
        for (int i = 0; i < sent.experts(); i++) {
          try (var matrix = diagonal(ops, ranks.rank() * sent.experts() + i + 1)) {
            ops.gemm(sent.rows(i), matrix, GemmOptions.of().into(sent.part(results, i)));
          }
        }
        try (var output = sent.combine(results, given)) {
          var numbers = output.floats();
          for (int i = 0; i < numbers.length; i++) {
            double expected = 0;
            for (int j = i / DIM * choices; j < (i / DIM + 1) * choices; j++) {
              expected += weights[j] * (chosen[j] + 1) * x[i];
            }
            assertEquals(expected, numbers[i], choices * BF16.ulp(experts * 8.0) + BF16.ulp(expected));
          }
          return numbers.length;
        }
      }
    });
  }

  private static DeviceTensor diagonal(Ops ops, int factor) {
    var numbers = new float[DIM * DIM];
    for (int i = 0; i < DIM; i++) numbers[i * DIM + i] = factor;
    return ops.tensor(BF16, numbers, DIM, DIM);
  }

  @Test
  void rowsLieExpertByExpertAndRankByRank() {
    each(2, ranks -> {
      var x = ranks.ops().tensor(BF16, new float[] {10 * ranks.rank() + 1, 10 * ranks.rank() + 2}, 2, 1);
      try (var sent = ExpertDispatch.of(ranks, x, ranks.ops().ints(new int[] {3, 0, 2, 3}, 2, 2), 4)) {
        if (ranks.rank() == 0) {
          assertArrayEquals(new float[] {1, 11}, sent.rows(0).floats());
          assertEquals(0, sent.rows(1).size(0));
        } else {
          assertArrayEquals(new float[] {2, 12}, sent.rows(0).floats());
          assertArrayEquals(new float[] {1, 2, 11, 12}, sent.rows(1).floats());
        }
        return 0;
      }
    });
  }

  /** One rank has no tokens, all other experts have none, and results are columns of a wider matrix. */
  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {2, 4})
  void allTokensMayGoToOneExpert(int size) {
    int expert = 2 * size - 1;
    each(size, ranks -> {
      var ops = ranks.ops();
      int tokens = 2 * ranks.rank();
      var x = new float[tokens];
      var chosen = new int[tokens];
      var weights = new float[tokens];
      for (int i = 0; i < tokens; i++) {
        x[i] = 10 * ranks.rank() + i;
        chosen[i] = expert;
        weights[i] = 2 + i;
      }
      try (var input = ops.tensor(ElementType.F32, x, tokens, 1);
          var choice = ops.ints(chosen, tokens, 1);
          var sent = ExpertDispatch.of(ranks, input, choice, 2 * size);
          var wide = ops.zeros(ElementType.F32, sent.rows().size(0), 3);
          var given = ops.tensor(ElementType.F32, weights, tokens, 1)) {
        boolean all = ranks.rank() == size - 1;
        assertEquals(0, sent.rows(0).size(0));
        assertArrayEquals(all ? new float[][] {{}, {10, 11}, {10, 11, 20, 21, 22, 23, 30, 31, 32, 33, 34, 35}}[size / 2]
            : new float[0], sent.rows(1).floats());
        var results = wide.slice(1, 1, 2);
        ops.copy(sent.rows(), results);
        try (var output = sent.combine(results, given)) {
          var expected = new float[tokens];
          for (int i = 0; i < tokens; i++) expected[i] = (10 * ranks.rank() + i) * (2 + i);
          assertArrayEquals(expected, output.floats());
        }
      }
      return 0;
    });
  }

  @Test
  void noTokensAtAllAreSent() {
    each(2, ranks -> {
      var ops = ranks.ops();
      try (var x = ops.empty(BF16, 0, DIM); var chosen = ops.ints(new int[0], 0, 2);
          var sent = ExpertDispatch.of(ranks, x, chosen, 2); var weights = ops.zeros(ElementType.F32, 0, 2);
          var output = sent.combine(sent.rows(), weights)) {
        assertArrayEquals(new long[] {0, DIM}, sent.rows().shape());
        assertArrayEquals(new long[] {0, DIM}, output.shape());
      }
      return 0;
    });
  }

  @Test
  void whatCannotBeSentIsRefused() {
    var ranks = Communicator.among(Ops.simulators(1)).getFirst();
    var x = ranks.ops().zeros(BF16, 2, 4);
    var chosen = ranks.ops().ints(new int[] {1, 4}, 2, 1);
    assertRefused("cannot share 0 experts", () -> ExpertDispatch.of(ranks, x, chosen, 0));
    assertRefused("no expert 4: 0…3", () -> ExpertDispatch.of(ranks, x, chosen, 4));
    assertRefused("needed are (T,D) and i32(T,J)", () -> ExpertDispatch.of(ranks, x, chosen.slice(0, 0, 1), 4));
    assertRefused("needed are (T,D) and i32(T,J)", () -> ExpertDispatch.of(ranks, x, x, 4));
    try (var sent = ExpertDispatch.of(ranks, x, chosen, 6)) {
      var weights = ranks.ops().zeros(ElementType.F32, 2, 1);
      assertRefused("needed are 2 rows", () -> sent.combine(x.slice(0, 0, 1), weights));
      assertRefused("needed are (2,1)", () -> sent.combine(x, x));
      assertRefused("no expert 6 on rank 0", () -> sent.rows(6));
    }
    var two = Communicator.among(Ops.simulators(2)).getFirst();
    assertRefused("cannot share 3 experts among 2 ranks", () -> ExpertDispatch.of(two, x, chosen, 3));
  }

  private static void assertRefused(String text, Runnable call) {
    var refusal = assertThrows(IllegalArgumentException.class, call::run);
    assertTrue(refusal.getMessage().contains(text), refusal::getMessage);
  }
}
