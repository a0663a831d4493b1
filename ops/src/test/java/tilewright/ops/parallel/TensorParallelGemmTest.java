package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernels.Pointwise;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;
import tilewright.ops.collectives.CollectiveException;
import tilewright.ops.collectives.CollectiveOptions;
import tilewright.ops.collectives.Communicator;

/** Products over devices against those of the whole matrices in FP64. */
class TensorParallelGemmTest extends OverDevices {
  private static final ElementType BF16 = ElementType.BF16;
  private static final GemmOptions PLAIN = GemmOptions.of();

  /** Ranks, rows of each, and the columns and k that are not cut. */
  static Stream<Arguments> cases() {
    var quick = Stream.of(Arguments.of(2, 131, 24, 8), Arguments.of(4, 7, 9, 5));
    return !Boolean.getBoolean("tilewright.full") ? quick : Stream.concat(quick, Stream.of(
        Arguments.of(1, 20, 24, 16), Arguments.of(2, 7, 9, 5), Arguments.of(4, 130, 40, 24),
        Arguments.of(8, 4, 8, 8), Arguments.of(8, 131, 16, 8)));
  }

  /** A matrix, the last mode fastest. */
  private record Numbers(int rows, int columns, float[] values) {
    static Numbers random(Random random, int rows, int columns) {
      var values = new float[rows * columns];
      for (int i = 0; i < values.length; i++) values[i] = (float) BF16.round(random.nextGaussian());
      return new Numbers(rows, columns, values);
    }

    float at(int row, int column) {
      return values[row * columns + column];
    }

    DeviceTensor on(Ops ops) {
      return ops.tensor(BF16, values, rows, columns);
    }
  }

  @ParameterizedTest(name = "{0} ranks of {1} rows, n {2}, k {3}")
  @MethodSource("cases")
  void gatheredRowsAreMultiplied(int size, int rows, int n, int k) {
    var random = new Random(34);
    var a = Numbers.random(random, size * rows, k);
    var b = Numbers.random(random, k, size * n);
    var bias = Numbers.random(random, 1, size * n);
    var results = each(size, ranks -> {
      try (var whole = a.on(ranks.ops()); var columns = b.on(ranks.ops()); var numbers = bias.on(ranks.ops());
          var result = TensorParallelGemm.allGatherGemm(ranks, whole.slice(0, (long) ranks.rank() * rows,
              (ranks.rank() + 1L) * rows), columns.slice(1, (long) ranks.rank() * n, (ranks.rank() + 1L) * n),
              PLAIN.bias(numbers.select(0, 0).slice(0, (long) ranks.rank() * n, (ranks.rank() + 1L) * n)))) {
        return result.floats();
      }
    });
    for (int rank = 0; rank < size; rank++) {
      for (int row = 0; row < a.rows; row++) {
        for (int column = 0; column < n; column++) {
          double expected = product(a, b, row, rank * n + column) + bias.values[rank * n + column];
          assertEquals(expected, results.get(rank)[row * n + column], tolerance(expected, 1),
              "rank " + rank + ", row " + row + ", column " + column);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} ranks of {1} rows, n {2}, k {3}")
  @MethodSource("cases")
  void sumsOfProductsAreScattered(int size, int rows, int n, int k) {
    var random = new Random(35);
    var a = Numbers.random(random, size * rows, size * k);
    var b = Numbers.random(random, size * k, n);
    var results = each(size, ranks -> {
      try (var whole = a.on(ranks.ops()); var all = b.on(ranks.ops());
          var result = TensorParallelGemm.gemmReduceScatter(ranks, whole.slice(1, (long) ranks.rank() * k,
              (ranks.rank() + 1L) * k), all.slice(0, (long) ranks.rank() * k, (ranks.rank() + 1L) * k),
              PLAIN.activation(Pointwise.RELU).alpha(0.5f))) {
        return result.floats();
      }
    });
    for (int rank = 0; rank < size; rank++) {
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < n; column++) {
          double expected = Math.max(0, 0.5 * product(a, b, rank * rows + row, column));
          assertEquals(expected, results.get(rank)[row * n + column],
              tolerance(expected, size) + size * BF16.ulp(2 * Math.sqrt(size * k)),
              "rank " + rank + ", row " + row + ", column " + column);
        }
      }
    }
  }

  @Test
  void aTensorOfTheCallerTakesTheResult() {
    var random = new Random(36);
    var a = Numbers.random(random, 12, 16);
    var b = Numbers.random(random, 16, 8);
    each(2, ranks -> {
      var ops = ranks.ops();
      var into = ops.zeros(ElementType.F32, 6, 20);
      var half = ops.zeros(BF16, 12, 8);
      ops.copy(a.on(ops).slice(1, 8L * ranks.rank(), 8L * ranks.rank() + 8), half);
      var result = TensorParallelGemm.gemmReduceScatter(ranks, half,
          b.on(ops).slice(0, 8L * ranks.rank(), 8L * ranks.rank() + 8), PLAIN.into(into.slice(1, 4, 12)));
      var numbers = into.floats();
      assertEquals(0, numbers[3]);
      for (int row = 0; row < 6; row++) {
        double expected = product(a, b, 6 * ranks.rank() + row, 5);
        assertEquals(expected, numbers[20 * row + 9], 1e-4);
      }
      return result;
    });
  }

  @Test
  void replaysMultiplyWhatTensorsHoldThen() {
    var random = new Random(37);
    var a = Numbers.random(random, 16, 16);
    var b = Numbers.random(random, 16, 16);
    each(2, ranks -> {
      var ops = ranks.ops();
      long begin = 8L * ranks.rank();
      var whole = ops.zeros(BF16, 16, 16);
      var gathered = ops.empty(ElementType.F32, 16, 8);
      var scattered = ops.empty(ElementType.F32, 8, 16);
      var factors = b.on(ops);
      try (var captured = ranks.capture(() -> {
        TensorParallelGemm.allGatherGemm(ranks, whole.slice(0, begin, begin + 8), factors.slice(1, begin, begin + 8),
            PLAIN.into(gathered));
        TensorParallelGemm.gemmReduceScatter(ranks, whole.slice(1, begin, begin + 8),
            factors.slice(0, begin, begin + 8), PLAIN.into(scattered));
      })) {
        ops.copy(a.on(ops), whole);
        captured.replay();
        var products = gathered.floats();
        var sums = scattered.floats();
        for (int i = 0; i < 16 * 8; i++) {
          assertEquals(product(a, b, i / 8, (int) begin + i % 8), products[i], 1e-4);
          assertEquals(product(a, b, (int) begin + i / 16, i % 16), sums[i], 1e-4);
        }
      }
      return true;
    });
  }

  private static double product(Numbers a, Numbers b, int row, int column) {
    double sum = 0;
    for (int i = 0; i < a.columns; i++) sum += (double) a.at(row, i) * b.at(i, column);
    return sum;
  }

  /** Every rank rounds the sum so far to 8 bits. */
  private static double tolerance(double expected, int roundings) {
    return roundings * BF16.ulp(expected) + 1e-4;
  }

  @Test
  void ranksThatDisagreeAllFail() {
    close(open(2));
    var failure = assertThrows(CollectiveException.class, () -> each(2, ranks -> {
      int rows = ranks.rank() == 0 ? 4 : 8;
      return TensorParallelGemm.allGatherGemm(ranks, ranks.ops().zeros(BF16, rows, 32 / rows),
          ranks.ops().zeros(BF16, 32 / rows, 8), PLAIN);
    }));
    assertTrue(failure.getMessage().contains("(4,8)") && failure.getMessage().contains("(8,4)"), failure::getMessage);
    var calls = assertThrows(CollectiveException.class, () -> each(2, ranks -> {
      var x = ranks.ops().zeros(BF16, 8, 8);
      return ranks.rank() == 0 ? TensorParallelGemm.allGatherGemm(ranks, x, x, PLAIN)
          : TensorParallelGemm.gemmReduceScatter(ranks, x, x, PLAIN);
    }));
    assertTrue(calls.getMessage().contains("reduce-scatter"), calls::getMessage);
  }

  @Test
  void whatRanksCannotShareIsRefused() {
    var ranks = Communicator.among(Ops.simulators(2)).getFirst();
    var x = ranks.ops().zeros(BF16, 7, 8);
    var square = ranks.ops().zeros(BF16, 8, 8);
    assertRefused("cannot scatter 7 rows among 2 ranks", () -> TensorParallelGemm.gemmReduceScatter(ranks, x, square,
        PLAIN));
    assertRefused("needed are (M,K) and (K,N)", () -> TensorParallelGemm.allGatherGemm(ranks, x, x, PLAIN));
    assertRefused("no C", () -> TensorParallelGemm.allGatherGemm(ranks, x, square, PLAIN.plus(1, square)));
    var others = Ops.simulator().zeros(BF16, 8, 8);
    assertRefused("belongs to other operators", () -> TensorParallelGemm.allGatherGemm(ranks, x, others, PLAIN));
    var one = Communicator.among(Ops.simulators(1)).getFirst();
    var own = one.ops().zeros(BF16, 8, 8);
    assertRefused("needed are 8 rows", () -> TensorParallelGemm.allGatherGemm(one, own, own,
        PLAIN.into(one.ops().zeros(BF16, 16, 8))));
    assertRefused("the rank's 8 rows of 8", () -> TensorParallelGemm.gemmReduceScatter(one, own, own,
        PLAIN.into(one.ops().zeros(BF16, 16, 8))));
  }

  private static void assertRefused(String text, Runnable call) {
    var refusal = assertThrows(IllegalArgumentException.class, call::run);
    assertTrue(refusal.getMessage().contains(text), refusal::getMessage);
  }
}
