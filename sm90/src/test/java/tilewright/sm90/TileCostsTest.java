package tilewright.sm90;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;

class TileCostsTest {
  /** The first of all tiles that are allowed is found without a correction of most of them. */
  @ParameterizedTest
  @CsvSource({"BF16, BF16, TN", "F16, F16, NT", "BF16, F32, TN", "E4M3, BF16, TN", "I8, I32, TN"})
  void theLeastIsTheFirstInAscendingOrder(ElementType in, ElementType out, String order) {
    var random = new Random(4);
    for (int i = 0; i < 40; i++) {
      var types = new GemmTypes(in, in, out, Accumulation.FAST);
      var problem = GemmProblem.packed(types, 16 * (1 + random.nextInt(200)), 16 * (1 + random.nextInt(500)),
          16 * (1 + random.nextInt(500)), 1 + random.nextInt(2), order);
      var costs = new TileCosts(problem);
      var first = costs.least(_ -> true);
      assertEquals(costs.ascending().findFirst(), first);
      assertEquals(costs.ascending().filter(tile -> tile.m() == 128).findFirst(), costs.least(tile -> tile.m() == 128));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 64, 64", "64, 0, 64", "64, 64, 0", "0, 0, 0"})
  void anEmptyProblemHasATileToo(int m, int n, int k) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN");
    assertTrue(new TileCosts(problem).least(_ -> true).isPresent());
    assertTrue(new TileCosts(problem).least(tile -> tile.m() == 256).isPresent());
  }

  /** Times that are computed for all tiles and types at once are those of a problem by itself. */
  @ParameterizedTest
  @CsvSource({"BF16, F32, TN", "E4M3, BF16, TN", "I8, I32, TN", "TF32, F32, TN"})
  void typesThatAreNotCorrectedAreInTheModelsOrder(ElementType in, ElementType out, String order) {
    var types = new GemmTypes(in, in, out, Accumulation.FAST);
    var problem = GemmProblem.packed(types, 400, 4096, 1024, 1, order);
    var microseconds = new TileCosts(problem).ascending()
        .mapToDouble(tile -> tile.cost(ElementBytes.of(types), GemmExtents.of(problem)).value()).toArray();
    for (int i = 1; i < microseconds.length; i++) assertTrue(microseconds[i - 1] <= microseconds[i]);
  }
}
