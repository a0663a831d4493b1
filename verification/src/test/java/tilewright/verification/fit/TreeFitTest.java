package tilewright.verification.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tilewright.verification.fit.TreeFit.Example;

class TreeFitTest {
  private static double number(double x, double y) {
    return x > 3 ? 1 : y > 5 ? -0.5 : 0;
  }

  /** An offset of all numbers of a group makes no difference, nor does a feature that is noise. */
  @Test
  void differencesWithinGroupsAreFound() {
    var random = new Random(2);
    var examples = new ArrayList<Example>();
    for (int group = 0; group < 100; group++) {
      double offset = random.nextGaussian();
      for (int i = 0; i < 20; i++) {
        double x = random.nextInt(8);
        double y = 10 * random.nextDouble();
        examples.add(new Example(new double[] {x, random.nextDouble(), y}, number(x, y) + offset, 1, group));
      }
    }
    var trees = new TreeFit(60, 3, 0.2, 0.7, 0.8, 3, 3).fit(examples);
    double base = trees.at(new double[] {1, 0.5, 2});
    assertEquals(1, trees.at(new double[] {5, 0.5, 8}) - base, 0.05);
    assertEquals(-0.5, trees.at(new double[] {1, 0.5, 8}) - base, 0.05);
  }

  @Test
  void examplesThatWeighNothingAreNotSeen() {
    var examples = new ArrayList<Example>();
    for (int i = 0; i < 100; i++) {
      examples.add(new Example(new double[] {i % 2}, i % 2, 1, i / 2));
      examples.add(new Example(new double[] {i % 2}, -50, 0, i / 2));
    }
    var trees = new TreeFit(60, 1, 0.2, 1, 1, 0.1, 3).fit(examples);
    assertEquals(1, trees.at(new double[] {1}) - trees.at(new double[] {0}), 0.05);
  }
}
