package tilewright.verification.fit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import tilewright.kernels.choice.BoostedTrees;

/**
 * Fits trees to numbers by gradient boosting with squared errors. Only differences within a group matter, so that each
 * tree sees what is left of a number beside the mean of its group. Features are sorted into bins, and a tree is split
 * level by level where that leaves the least error.
 *
 * @param trees how many there are
 * @param rate the part of its error that a tree mends
 * @param rows the part of the samples that a tree sees
 * @param columns the part of the features that it sees
 * @param ridge weight that is added to that of each leaf
 * @param least weight of a leaf
 */
record TreeFit(int trees, int depth, double rate, double rows, double columns, double ridge, double least) {
  private static final int BINS = 48;
  private static final long SEED = 30;

  /** A number, its features, its weight, and the group whose numbers it is compared with. */
  record Example(double[] features, double number, double weight, int group) {}

  BoostedTrees fit(List<Example> examples) {
    return new Fit(examples).run();
  }

  private final class Fit {
    private final RandomGenerator random = new SplittableRandom(SEED);
    private final double[] weights;
    private final int[] groups;
    private final float[][] limits;
    private final byte[][] bins;
    private final double[] left;

    Fit(List<Example> examples) {
      weights = examples.stream().mapToDouble(Example::weight).toArray();
      groups = examples.stream().mapToInt(Example::group).toArray();
      left = examples.stream().mapToDouble(Example::number).toArray();
      int features = examples.getFirst().features.length;
      limits = new float[features][];
      bins = new byte[features][examples.size()];
      for (int feature = 0; feature < features; feature++) {
        int which = feature;
        var values = examples.stream().mapToDouble(e -> e.features[which]).toArray();
        limits[feature] = limits(values);
        for (int i = 0; i < values.length; i++) bins[feature][i] = (byte) bin(limits[feature], values[i]);
      }
    }

    BoostedTrees run() {
      var all = new ArrayList<BoostedTrees.Tree>();
      for (int i = 0; i < trees; i++) {
        center();
        all.add(tree());
      }
      return new BoostedTrees(depth, all);
    }

    /** Takes the mean of each group from its numbers. */
    private void center() {
      int count = Arrays.stream(groups).max().orElse(0) + 1;
      var sums = new double[count];
      var all = new double[count];
      for (int i = 0; i < left.length; i++) {
        sums[groups[i]] += weights[i] * left[i];
        all[groups[i]] += weights[i];
      }
      for (int i = 0; i < left.length; i++) left[i] -= sums[groups[i]] / all[groups[i]];
    }

    private BoostedTrees.Tree tree() {
      var seen = IntStream.range(0, left.length).filter(_ -> random.nextDouble() < rows).toArray();
      var features = IntStream.range(0, limits.length).filter(_ -> random.nextDouble() < columns).toArray();
      int inner = (1 << depth) - 1;
      var chosen = new byte[inner];
      var at = new int[inner];
      var nodes = new int[left.length];
      for (int level = 0; level < depth; level++) {
        split(level, seen, features, nodes, chosen, at);
        for (int i = 0; i < left.length; i++) {
          int node = (1 << level) - 1 + nodes[i];
          nodes[i] = 2 * nodes[i] + (bins[chosen[node]][i] <= at[node] ? 0 : 1);
        }
      }
      var leaves = leaves(seen, nodes);
      for (int i = 0; i < left.length; i++) left[i] -= leaves[nodes[i]];
      var values = new float[inner];
      for (int node = 0; node < inner; node++) {
        var all = limits[chosen[node]];
        values[node] = at[node] < all.length ? all[at[node]] : Float.MAX_VALUE;
      }
      return new BoostedTrees.Tree(chosen, values, leaves);
    }

    /** Finds the best feature and bin of each node of a level; where none helps, all go to the first child. */
    private void split(int level, int[] seen, int[] features, int[] nodes, byte[] chosen, int[] at) {
      int count = 1 << level;
      int base = count - 1;
      var gains = new double[count];
      for (int node = 0; node < count; node++) {
        chosen[base + node] = (byte) features[0];
        at[base + node] = BINS;
      }
      for (int feature : features) {
        var sums = new double[count][BINS + 1];
        var all = new double[count][BINS + 1];
        for (int i : seen) {
          int bin = bins[feature][i];
          sums[nodes[i]][bin] += weights[i] * left[i];
          all[nodes[i]][bin] += weights[i];
        }
        for (int node = 0; node < count; node++) {
          double sum = Arrays.stream(sums[node]).sum();
          double weight = Arrays.stream(all[node]).sum();
          double before = 0;
          double weightBefore = 0;
          for (int bin = 0; bin < limits[feature].length; bin++) {
            before += sums[node][bin];
            weightBefore += all[node][bin];
            if (weightBefore < least || weight - weightBefore < least) continue;
            double gain = gain(before, weightBefore) + gain(sum - before, weight - weightBefore) - gain(sum, weight);
            if (gain <= gains[node]) continue;
            gains[node] = gain;
            chosen[base + node] = (byte) feature;
            at[base + node] = bin;
          }
        }
      }
    }

    private double gain(double sum, double weight) {
      return sum * sum / (weight + ridge);
    }

    private float[] leaves(int[] seen, int[] nodes) {
      var sums = new double[1 << depth];
      var all = new double[1 << depth];
      for (int i : seen) {
        sums[nodes[i]] += weights[i] * left[i];
        all[nodes[i]] += weights[i];
      }
      var leaves = new float[sums.length];
      for (int i = 0; i < leaves.length; i++) leaves[i] = (float) (rate * sums[i] / (all[i] + ridge));
      return leaves;
    }
  }

  /** Limits between bins that hold about equally many values. */
  private static float[] limits(double[] values) {
    var sorted = Arrays.stream(values).sorted().toArray();
    var distinct = Arrays.stream(sorted).distinct().toArray();
    var between = distinct.length <= BINS
        ? IntStream.range(1, distinct.length).mapToDouble(i -> (distinct[i - 1] + distinct[i]) / 2)
        : IntStream.range(1, BINS).mapToDouble(i -> sorted[(int) ((long) i * sorted.length / BINS)]);
    var rounded = between.map(limit -> (float) limit).distinct().toArray();
    var limits = new float[rounded.length];
    for (int i = 0; i < limits.length; i++) limits[i] = (float) rounded[i];
    return limits;
  }

  private static int bin(float[] limits, double value) {
    int bin = 0;
    while (bin < limits.length && value > limits[bin]) bin++;
    return bin;
  }
}
