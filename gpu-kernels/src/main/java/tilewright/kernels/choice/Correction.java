package tilewright.kernels.choice;

import java.util.Map;

/**
 * The factor of an expected time, as trees that are fitted to measured ones have it. It is bounded, so that nothing is
 * chosen for what the trees alone say, and only what may still be fastest has to be asked about.
 *
 * @param name of the trees
 * @param trees the logarithm of the factor
 * @param least logarithm, at most {@code most}
 */
public record Correction(String name, BoostedTrees trees, double least, double most) {
  /** The factor with some features. */
  public double factor(double[] features) {
    return factor(trees.at(features));
  }

  /** The factor with some logarithm: the first terms of the exponential, which are the same number everywhere. */
  public double factor(double logarithm) {
    double bounded = Math.clamp(logarithm, least, most);
    return 1 + bounded + bounded * bounded / 2;
  }

  /** The least factor. */
  public double leastFactor() {
    return factor(least);
  }

  /** Returns this with other trees. */
  public Correction with(BoostedTrees others) {
    return new Correction(name, others, least, most);
  }

  /** The form in JSON. */
  public Map<String, Object> json() {
    return Map.of("least", least, "most", most, "trees", trees.json());
  }
}
