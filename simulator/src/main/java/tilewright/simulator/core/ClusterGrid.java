package tilewright.simulator.core;

import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * How the CTAs of a launch make up clusters.
 *
 * @param grid extents in CTAs
 * @param cluster extents of a cluster
 * @param clusters extents of the grid in clusters
 * @param explicit whether the launch or the kernel names a cluster
 */
public record ClusterGrid(Dim3 grid, Dim3 cluster, Dim3 clusters, boolean explicit) {
  private static final int FIRST_TARGET = 90;

  /** @throws IllegalArgumentException when kernel, cluster and grid do not fit each other */
  public static ClusterGrid of(Kernel kernel, Launch launch) {
    var need = kernel.clusters();
    var cluster = need.extents(kernel.name(), launch.cluster());
    boolean explicit = need.required().isPresent() || !launch.cluster().equals(Dim3.ONE);
    if (explicit && kernel.target() < FIRST_TARGET) {
      throw new IllegalArgumentException("cluster " + cluster + " needs .target sm_90 or higher, but kernel '"
          + kernel.name() + "' is for sm_" + kernel.target());
    }
    var g = launch.grid();
    if (need.blocksAreClusters()) {
      var grid = new Dim3(g.x() * cluster.x(), g.y() * cluster.y(), g.z() * cluster.z());
      return new ClusterGrid(grid, cluster, g, explicit);
    }
    if (g.x() % cluster.x() != 0 || g.y() % cluster.y() != 0 || g.z() % cluster.z() != 0) {
      throw new IllegalArgumentException("grid " + g + " is no multiple of cluster " + cluster
          + ": every extent must be divisible by the cluster's");
    }
    return new ClusterGrid(g, cluster, new Dim3(g.x() / cluster.x(), g.y() / cluster.y(), g.z() / cluster.z()),
        explicit);
  }

  /** The CTAs of a cluster. */
  public int size() {
    return (int) cluster.size();
  }

  /** Where in its cluster the CTA of that rank is. */
  Dim3 inCluster(int rank) {
    return at(rank, cluster);
  }

  /** Where in the grid of clusters the cluster of that number is. */
  Dim3 clusterAt(long number) {
    return at(number, clusters);
  }

  /** Where in the grid the CTA of that number is. */
  public Dim3 blockAt(long number) {
    return at(number, grid);
  }

  /** Where in the grid the CTA of that rank in that cluster is. */
  public Dim3 blockAt(long clusterNumber, int rank) {
    var outer = clusterAt(clusterNumber);
    var inner = inCluster(rank);
    return new Dim3(outer.x() * cluster.x() + inner.x(), outer.y() * cluster.y() + inner.y(),
        outer.z() * cluster.z() + inner.z());
  }

  /** The number of the CTA there. */
  long number(Dim3 block) {
    return block.x() + (long) grid.x() * (block.y() + (long) grid.y() * block.z());
  }

  private static Dim3 at(long number, Dim3 extents) {
    return new Dim3((int) (number % extents.x()), (int) (number / extents.x() % extents.y()),
        (int) (number / ((long) extents.x() * extents.y())));
  }
}
