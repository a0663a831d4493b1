package tilewright.numerics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Sums worked by hand from the rules that sf-tensor published, beside one that a bit more or less would change. */
class BlockScaledModelTest {
  private static final int LEAST_UE8M0 = -127;

  /** Zeros but for some; numbers of e2m1 with scales of their own, or of e5m2 with powers of two. */
  private static ScaledFactors factors(int count, int block, Map<Integer, Double> values, double... scales) {
    var all = new double[count];
    values.forEach((k, value) -> all[k] = value);
    return new ScaledFactors(all, count % 64 == 0 ? 0 : -14, scales, block == 16 ? -6 : LEAST_UE8M0, block);
  }

  private static ScaledFactors ones(int count, int block) {
    return new ScaledFactors(filled(count, 1), 0, filled(Math.ceilDiv(count, block), 1), 0, block);
  }

  private static void assertBits(float expected, float actual) {
    assertEquals(Float.toHexString(expected), Float.toHexString(actual));
  }

  @Test
  void productsOfBytesAreCutTwentyFiveBitsBelowTheLargestTerm() {
    var y = ones(32, 32);
    var model = BlockScaledModel.MXF8F6F4;
    assertBits(Math.nextDown(1f), model.dot(1, factors(32, 32, Map.of(3, -0x1p-5), 0x1p-20), y));
    assertBits(1, model.dot(1, factors(32, 32, Map.of(3, -0x1p-6), 0x1p-20), y));
    assertBits(1, model.dot(1, factors(32, 32, Map.of(3, -0x1p-6, 4, -0x1p-6), 0x1p-20), y));
  }

  /** 448 = 1.75·2^8, so it counts with 2^16 in the square, though that is 3.06·2^16. */
  @Test
  void productsCountWithTheSumOfTheirFactorsExponents() {
    var x = factors(32, 32, Map.of(0, 448.0, 1, -448.0, 2, 1.0), 1);
    var y = factors(32, 32, Map.of(0, 448.0, 1, 448.0, 2, 0x1p-9), 1);
    assertBits(0x1p-9f, BlockScaledModel.MXF8F6F4.dot(0, x, y));
    var less = factors(32, 32, Map.of(0, 448.0, 1, 448.0, 2, 0x1p-10), 1);
    assertBits(0, BlockScaledModel.MXF8F6F4.dot(0, x, less));
  }

  @Test
  void everyInstructionCutsItsSumToASingle() {
    var y = ones(96, 32);
    var apart = factors(96, 32, Map.of(0, 1.0, 32, 0x1p-4, 64, 0x1p-4), 1, 0x1p-20, 0x1p-20);
    assertBits(1, BlockScaledModel.MXF8F6F4.dot(0, apart, y));
    var together = factors(96, 32, Map.of(32, 0x1p-4, 33, 0x1p-4), 1, 0x1p-20, 1);
    assertBits(Math.nextUp(1f), BlockScaledModel.MXF8F6F4.dot(1, together, y));
    var later = factors(96, 32, Map.of(0, 0x1p-4, 32, 0x1p-4, 64, 1.0), 0x1p-20, 0x1p-20, 1);
    assertBits(Math.nextUp(1f), BlockScaledModel.MXF8F6F4.dot(0, later, y));
  }

  /** Half a bit of the accumulator at the end of an instruction and at the begin of the next: neither shows. */
  @ParameterizedTest
  @CsvSource({"MXF8F6F4, 32", "MXF4, 64", "NVF4, 64"})
  void instructionsAreAsLongAsTheirKindSays(BlockScaledModel model, int depth) {
    int count = 2 * depth;
    var scales = filled(count / 16, 0x1p-8);
    var y = new ScaledFactors(filled(count, 1), 0, scales, -6, 16);
    var across = new ScaledFactors(some(count, depth - 1, depth), 0, scales, -6, 16);
    assertBits(0x1p8f, model.dot(0x1p8f, across, y));
    var within = new ScaledFactors(some(count, depth, depth + 1), 0, scales, -6, 16);
    assertBits(Math.nextUp(0x1p8f), model.dot(0x1p8f, within, y));
  }

  private static double[] some(int count, int... ones) {
    var values = new double[count];
    for (int k : ones) values[k] = 1;
    return values;
  }

  /** Four quarters of a group, each 2^-11, are 2^-9 together; without an accumulator two of 2^-20 are nothing. */
  @Test
  void productsOfNvf4AreAddedInFoursAndBelowALargerAccumulatorInSixteens() {
    var y = ones(64, 16);
    var spread = factors(64, 16, Map.of(0, -0.5, 4, -0.5, 8, -0.5, 12, -0.5), 0x1p-9, 1, 1, 1);
    assertBits(Math.nextDown(0x1p26f), BlockScaledModel.NVF4.dot(0x1p26f, spread, halves(1)));
    var three = factors(64, 16, Map.of(0, -0.5, 4, -0.5, 8, -0.5), 0x1p-9, 1, 1, 1);
    assertBits(0x1p26f, BlockScaledModel.NVF4.dot(0x1p26f, three, halves(1)));

    var one = Map.of(0, 1.0, 1, -1.0, 16, 0.5, 17, 0.5);
    var two = Map.of(0, 1.0, 1, -1.0, 16, 0.5, 20, 0.5);
    assertBits(0x1p-19f, BlockScaledModel.NVF4.dot(0, factors(64, 16, one, 256, 0x1p-9, 1, 1), halves(256)));
    assertBits(0, BlockScaledModel.NVF4.dot(0, factors(64, 16, two, 256, 0x1p-9, 1, 1), halves(256)));
    assertBits(0x1p-19f, BlockScaledModel.NVF4.dot(0, factors(64, 16, two, 128, 0x1p-9, 1, 1), halves(256)));
  }

  /** Numbers of a half, of which the first sixteen have another scale than 2^-9. */
  private static ScaledFactors halves(double scale) {
    return new ScaledFactors(filled(64, 0.5), 0, new double[] {scale, 0x1p-9, 1, 1}, -6, 16);
  }

  /** The window of fp4 is 35 bits below the accumulator, where it is larger than all products. */
  @Test
  void productsOfFourBitsAreCutThirtyFiveBitsBelowALargerAccumulator() {
    for (var model : new BlockScaledModel[] {BlockScaledModel.MXF4, BlockScaledModel.NVF4}) {
      var y = ones(64, 32);
      var x = factors(64, 32, Map.of(0, -1.0), 0x1p-35, 1);
      assertBits(Math.nextDown(1f), model.dot(1, x, y));
      var less = factors(64, 32, Map.of(0, -1.0), 0x1p-36, 1);
      assertBits(1, model.dot(1, less, y));
      var group = factors(64, 32, Map.of(0, -1.0, 5, -1.0), 0x1p-36, 1);
      assertBits(Math.nextDown(1f), model.dot(1, group, y));
    }
  }

  /** A group without products does not count. */
  @Test
  void theLargestScaleOfProductsBoundsTheWindow() {
    var y = ones(64, 32);
    var values = Map.of(0, 1.0, 1, -1.0, 32, 1.0);
    assertBits(0x1p-15f, BlockScaledModel.MXF4.dot(0, factors(64, 32, values, 0x1p20, 0x1p-15), y));
    assertBits(0, BlockScaledModel.MXF4.dot(0, factors(64, 32, values, 0x1p20, 0x1p-16), y));
    assertBits(0x1p-16f, BlockScaledModel.MXF4.dot(0, factors(64, 32, Map.of(32, 1.0), 0x1p20, 0x1p-16), y));
  }

  /** The largest product is 2^12, so that the window goes down to 2^-27, but not for what is below 2^10. */
  @Test
  void aGroupOfMxf4BelowTheAccumulatorIsCutThirtyFiveBitsBelowThat() {
    var y = new ScaledFactors(filled(64, 4), 0, filled(2, 1), LEAST_UE8M0, 32);
    var values = Map.of(0, 4.0, 32, -0.5);
    var kept = factors(64, 32, values, 0x1p8, 0x1p-26);
    assertBits(Math.nextDown(0x1p12f + 0x1p10f), BlockScaledModel.MXF4.dot(0x1p10f, kept, y));
    var lost = factors(64, 32, values, 0x1p8, 0x1p-27);
    assertBits(0x1p12f + 0x1p10f, BlockScaledModel.MXF4.dot(0x1p10f, lost, y));
  }

  /** Where 2^-140 is left, 2^-174 less shows, but nothing smaller, unless it has the largest scale. */
  @Test
  void tinyGroupsOfMxf4LeaveSubnormalSums() {
    var y = new ScaledFactors(filled(64, 1), 0, filled(2, 0x1p-70), LEAST_UE8M0, 32);
    var kept = factors(64, 32, Map.of(0, 1.0, 32, -1.0), 0x1p-70, 0x1p-104);
    assertBits(0x1p-140f - 0x1p-149f, BlockScaledModel.MXF4.dot(0, kept, y));
    var dropped = factors(64, 32, Map.of(0, 1.0, 32, -1.0), 0x1p-70, 0x1p-105);
    assertBits(0x1p-140f, BlockScaledModel.MXF4.dot(0, dropped, y));
  }

  private static double[] filled(int count, double value) {
    var all = new double[count];
    Arrays.fill(all, value);
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void anAccumulatorWithoutProductsKeepsItsBits(BlockScaledModel model) {
    var zeros = new ScaledFactors(new double[64], 0, filled(4, 1), -6, 16);
    assertBits(-0f, model.dot(-0f, zeros, ones(64, 16)));
    assertBits(Float.NEGATIVE_INFINITY, model.dot(Float.NEGATIVE_INFINITY, zeros, ones(64, 16)));
    assertBits(3.5f, model.dot(3.5f, zeros, ones(64, 16)));
  }

  @ParameterizedTest
  @EnumSource
  void anAccumulatorThatIsNoNumberStays(BlockScaledModel model) {
    assertBits(Float.POSITIVE_INFINITY, model.dot(Float.POSITIVE_INFINITY, ones(64, 16), ones(64, 16)));
    assertBits(Float.NaN, model.dot(Float.NaN, ones(64, 16), ones(64, 16)));
  }

  @Test
  void whatIsCutToNothingHasNoSign() {
    var x = factors(32, 32, Map.of(0, -1.0), 0x1p-100);
    var y = new ScaledFactors(filled(32, 1), 0, new double[] {0x1p-51}, LEAST_UE8M0, 32);
    assertBits(0, BlockScaledModel.MXF8F6F4.dot(0, x, y));
  }

  @ParameterizedTest
  @EnumSource
  void aScaleOfNaNMakesTheSumNaN(BlockScaledModel model) {
    var x = new ScaledFactors(new double[64], 0, new double[] {1, Double.NaN, 1, 1}, -6, 16);
    assertBits(Float.NaN, model.dot(1, x, ones(64, 16)));
    assertBits(Float.NaN, model.dot(1, ones(64, 16), x));
  }

  @ParameterizedTest
  @EnumSource
  void sumsThatASingleHoldsAreExactInAnyOrder(BlockScaledModel model) {
    var random = new SplittableRandom(3);
    for (int i = 0; i < 500; i++) {
      int count = random.nextInt(1, 200);
      double sum = random.nextInt(-9, 9);
      var x = small(random, count);
      var y = small(random, count);
      float c = (float) sum;
      for (int k = 0; k < count; k++) sum += x.scaled(k) * y.scaled(k);
      assertBits((float) sum + 0f, model.dot(c, x, y));
    }
  }

  private static ScaledFactors small(SplittableRandom random, int count) {
    double[] numbers = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6};
    var values = random.ints(count, 0, numbers.length).mapToDouble(i -> numbers[i]).toArray();
    var scales = random.ints(Math.ceilDiv(count, 32), -1, 2).mapToDouble(e -> Math.scalb(1.0, e)).toArray();
    return new ScaledFactors(values, 0, scales, LEAST_UE8M0, 32);
  }

  @Test
  void sumsBeyondTheLargestSingleAreInfinite() {
    var x = new ScaledFactors(filled(32, 448), -6, new double[] {0x1p100}, LEAST_UE8M0, 32);
    var y = new ScaledFactors(filled(32, -448), -6, new double[] {0x1p20}, LEAST_UE8M0, 32);
    assertBits(Float.NEGATIVE_INFINITY, BlockScaledModel.MXF8F6F4.dot(0, x, y));
  }

  @Test
  void factorsOfOtherLengthsAreRefused() {
    assertThrows(IllegalArgumentException.class,
        () -> BlockScaledModel.MXF4.dot(0, ones(64, 32), ones(32, 32)));
    assertThrows(IllegalArgumentException.class, () -> new ScaledFactors(new double[64], 0, new double[1], 0, 32));
  }
}
