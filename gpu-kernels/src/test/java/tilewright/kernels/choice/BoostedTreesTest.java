package tilewright.kernels.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.choice.BoostedTrees.Tree;

class BoostedTreesTest {
  /** Up to 2 of the first feature by the second, beyond it by the first again; and one that is the second's. */
  private static final BoostedTrees TREES = new BoostedTrees(2, List.of(
      new Tree(new byte[] {0, 1, 0}, new float[] {2, 10, 3}, new float[] {1, 2, 4, 8}),
      new Tree(new byte[] {1, 0, 0}, new float[] {10, 99, 99}, new float[] {0.25f, 0, 0.5f, 0})));

  @ParameterizedTest
  @CsvSource({"2, 10, 1.25", "2, 11, 2.5", "3, 10, 4.25", "4, 11, 8.5"})
  void leavesThatFeaturesLeadToAreAdded(double first, double second, double sum) {
    assertEquals(sum, TREES.at(new double[] {first, second}));
    assertEquals(sum, BoostedTrees.of(TREES.bytes()).at(new double[] {first, second}));
  }

  @Test
  void aTreeThatIsNotCompleteIsRefused() {
    var tree = new Tree(new byte[1], new float[1], new float[2]);
    var refusal = assertThrows(IllegalArgumentException.class, () -> new BoostedTrees(2, List.of(tree)));
    assertEquals("a tree of depth 2 has 3 nodes and 4 leaves: this one has 1 and 2", refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"-0.1", "-0.05", "0", "0.05", "0.2"})
  void theFactorIsNearlyTheExponential(double logarithm) {
    var correction = new Correction("c", TREES, -0.1, 0.2);
    assertEquals(Math.exp(logarithm), correction.factor(logarithm), 0.002);
  }

  @Test
  void theFactorIsBounded() {
    var correction = new Correction("c", TREES, -0.1, 0.2);
    assertEquals(correction.leastFactor(), correction.factor(-1));
    assertEquals(correction.factor(0.2), correction.factor(new double[] {4, 11}));
  }
}
