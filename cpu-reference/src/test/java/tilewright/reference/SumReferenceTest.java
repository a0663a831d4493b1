package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;

/** Sums in a kernel's order, against orders worked out by hand. */
class SumReferenceTest {

  private static Expected rows(ElementType accumulator, double[] x, int rows, int[][] threads) {
    return SumReference.rows(accumulator, rows, x.length / rows, () -> threads).of(Map.of("X", x)).getFirst();
  }

  @Test
  void sumsThatLoseNothingAreTheSameInEveryOrder() {
    double[] x = IntStream.range(0, 128).mapToDouble(i -> i % 7 - 2).toArray();
    int[][] threads = IntStream.range(0, 64).mapToObj(t -> new int[] {t}).toArray(int[][]::new);
    var y = rows(ElementType.F16, x, 2, threads);
    assertArrayEquals(new double[] {Arrays.stream(x, 0, 64).sum(), Arrays.stream(x, 64, 128).sum()}, y.exact());
    assertArrayEquals(y.exact(), y.stepwise());
    assertTrue(y.bitwise());
  }

  /** bf16 has 8 digits: 256 + 1 is 256, yet 1 + 1 + 256 is 258. */
  @Test
  void theThreadsAddTheirOwnBeforeTheyMeet() {
    double[] x = {256, 1, 1, 0};
    assertEquals(256, rows(ElementType.BF16, x, 1, new int[][] {{0, 1, 2, 3}}).stepwise()[0]);
    assertEquals(258, rows(ElementType.BF16, x, 1, new int[][] {{0, 3}, {1, 2}}).stepwise()[0]);
    // Lanes meet half of all lanes apart first: 0 with 2 and 1 with 3.
    assertEquals(256, rows(ElementType.BF16, x, 1, new int[][] {{0}, {3}, {1}, {2}}).stepwise()[0]);
    assertEquals(258, rows(ElementType.BF16, x, 1, new int[][] {{0}, {1}, {3}, {2}}).stepwise()[0]);
  }

  @Test
  void warpsMeetAfterTheirLanes() {
    double[] x = new double[64];
    Arrays.fill(x, 1);
    x[0] = 256;
    int[][] threads = IntStream.range(0, 64).mapToObj(t -> new int[] {t}).toArray(int[][]::new);
    // In the first warp 256 absorbs the 1s of lanes 16, 8, 4, 2 and 1 only as sums of 1, 2, 4, 8 and 16.
    double first = 256 + 0 + 2 + 4 + 8 + 16;
    assertEquals(ElementType.BF16.round(first + 32), rows(ElementType.BF16, x, 1, threads).stepwise()[0]);
  }

  @Test
  void aProductIsNotRoundedBeforeItIsAdded() {
    double e = Math.scalb(1, -12);
    var y = SumReference.total(ElementType.F32, List.of("X", "Z"), () -> new int[][][] {{{0, 1}}})
        .of(Map.of("X", new double[] {-1 - 2 * e, 1 + e}, "Z", new double[] {1, 1 + e})).getFirst();
    assertEquals(e * e, y.stepwise()[0]);
  }

  @Test
  void blocksAreAddedInSinglePrecision() {
    double[] x = {256, 1, 1, 1};
    var y = SumReference.total(ElementType.BF16, List.of("X"), () -> new int[][][] {{{0}}, {{1}}, {{2}}, {{3}}})
        .of(Map.of("X", x)).getFirst();
    assertEquals(260, y.stepwise()[0]);
  }
}
