package tilewright.kernels.choice;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A number as the sum of regression trees over features (Friedman, Greedy function approximation: a gradient boosting
 * machine, 2001). All trees are complete and equally deep: node i has the children 2i+1, where the feature is at most
 * the limit, and 2i+2.
 */
public final class BoostedTrees {
  private final int depth;
  private final byte[] features;
  private final float[] limits;
  private final float[] leaves;

  /**
   * A tree.
   *
   * @param features of the inner nodes, by number
   * @param limits up to which a feature leads to a node's first child
   */
  public record Tree(byte[] features, float[] limits, float[] leaves) {}

  /** @throws IllegalArgumentException if trees are not complete or not equally deep */
  public BoostedTrees(int depth, List<Tree> trees) {
    this.depth = depth;
    int inner = inner();
    features = new byte[trees.size() * inner];
    limits = new float[trees.size() * inner];
    leaves = new float[trees.size() << depth];
    for (int i = 0; i < trees.size(); i++) {
      var tree = trees.get(i);
      if (tree.features.length != inner || tree.limits.length != inner || tree.leaves.length != inner + 1) {
        throw new IllegalArgumentException("a tree of depth " + depth + " has " + inner + " nodes and " + (inner + 1)
            + " leaves: this one has " + tree.features.length + " and " + tree.leaves.length);
      }
      System.arraycopy(tree.features, 0, features, i * inner, inner);
      System.arraycopy(tree.limits, 0, limits, i * inner, inner);
      System.arraycopy(tree.leaves, 0, leaves, i << depth, inner + 1);
    }
  }

  private BoostedTrees(ByteBuffer bytes) {
    depth = bytes.getInt();
    leaves = new float[bytes.getInt() << depth];
    features = new byte[(leaves.length >> depth) * inner()];
    limits = new float[features.length];
    bytes.get(features);
    bytes.asFloatBuffer().get(limits).get(leaves);
  }

  /** Returns the trees that {@link #bytes} wrote. */
  public static BoostedTrees of(byte[] bytes) {
    return new BoostedTrees(ByteBuffer.wrap(bytes));
  }

  /** Depth and number of trees, the features of all nodes as bytes, and their limits and leaves as FP32, big-endian. */
  public byte[] bytes() {
    var bytes = ByteBuffer.allocate(2 * Integer.BYTES + features.length
        + (limits.length + leaves.length) * Float.BYTES).putInt(depth).putInt(leaves.length >> depth).put(features);
    bytes.asFloatBuffer().put(limits).put(leaves);
    return bytes.array();
  }

  /** The nodes of a tree that have children. */
  private int inner() {
    return (1 << depth) - 1;
  }

  /** The form in JSON: of each tree the features of its nodes, their limits, and its leaves. */
  public List<List<List<Double>>> json() {
    var trees = new ArrayList<List<List<Double>>>();
    for (int tree = 0; tree < leaves.length >> depth; tree++) {
      var ofNodes = new ArrayList<Double>();
      var ofLimits = new ArrayList<Double>();
      for (int node = tree * inner(); node < (tree + 1) * inner(); node++) {
        ofNodes.add((double) features[node]);
        ofLimits.add((double) limits[node]);
      }
      var ofLeaves = new ArrayList<Double>();
      for (int leaf = tree << depth; leaf < tree + 1 << depth; leaf++) ofLeaves.add((double) leaves[leaf]);
      trees.add(List.of(ofNodes, ofLimits, ofLeaves));
    }
    return List.copyOf(trees);
  }

  /** The sum of the leaves that features lead to. */
  public double at(double[] values) {
    int inner = inner();
    double sum = 0;
    for (int tree = 0; tree < leaves.length >> depth; tree++) {
      int root = tree * inner;
      int node = 0;
      for (int level = 0; level < depth; level++) {
        node = 2 * node + (values[features[root + node]] <= limits[root + node] ? 1 : 2);
      }
      sum += leaves[(tree << depth) + node - inner];
    }
    return sum;
  }
}
