package tilewright.layout.draw;

import java.util.ArrayList;
import java.util.List;

/**
 * A line between two rows or columns where a mode of a nested shape is complete.
 *
 * @param before the row or column that it precedes
 * @param weight heavier for outer modes
 */
public record Rule(int before, int weight) {
  private static final int HEAVIEST = 3;

  /** The lines of one axis that runs over modes of these extents, the first fastest. */
  static List<Rule> of(long[] extents) {
    long length = 1;
    for (var extent : extents) length *= extent;
    var weights = new int[Math.toIntExact(length)];
    long period = 1;
    var weight = 0;
    for (var extent : extents) {
      if (period > 1 && extent > 1) {
        weight = Math.min(weight + 1, HEAVIEST);
        for (var at = (int) period; at < length; at += (int) period) weights[at] = weight;
      }
      period *= extent;
    }
    var rules = new ArrayList<Rule>();
    for (var at = 0; at < weights.length; at++) if (weights[at] > 0) rules.add(new Rule(at, weights[at]));
    return rules;
  }
}
