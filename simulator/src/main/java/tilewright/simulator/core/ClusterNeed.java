package tilewright.simulator.core;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;

/**
 * A kernel's requirements of clusters (PTX ISA, Cluster Dimension Directives).
 *
 * @param required {@code .reqnctapercluster}
 * @param most {@code .maxclusterrank}
 * @param explicit {@code .explicitcluster}: a launch must name its cluster, unless the kernel does
 * @param blocksAreClusters {@code .blocksareclusters}: the launch's grid counts clusters
 * @param cancels whether it may cancel the launch of clusters and do their work
 */
public record ClusterNeed(Optional<Dim3> required, OptionalInt most, boolean explicit, boolean blocksAreClusters,
    boolean cancels) {
  /** The most CTAs that a cluster may have, where the kernel allows more than the portable eight. */
  private static final int MOST = 16;
  private static final String CANCEL = "clusterlaunchcontrol.try_cancel";

  /** Reads a kernel's directives and instructions. */
  public static ClusterNeed of(Function kernel, List<Site> sites) {
    var most = kernel.directive("maxclusterrank").map(v -> OptionalInt.of(v.getFirst().intValue()));
    return new ClusterNeed(kernel.directive("reqnctapercluster").map(ClusterNeed::extents),
        most.orElse(OptionalInt.empty()), kernel.directive("explicitcluster").isPresent(),
        kernel.directive("blocksareclusters").isPresent(), sites.stream().anyMatch(s -> s.text().contains(CANCEL)));
  }

  private static Dim3 extents(List<Long> values) {
    return new Dim3(extent(values, 0), extent(values, 1), extent(values, 2));
  }

  private static int extent(List<Long> values, int axis) {
    return axis < values.size() ? values.get(axis).intValue() : 1;
  }

  /** The cluster that a launch asks for; {@link Dim3#ONE} asks for none in particular. */
  Dim3 extents(String kernel, Dim3 launched) {
    boolean named = !launched.equals(Dim3.ONE);
    if (required.isPresent() && named && !required.get().equals(launched)) {
      throw new IllegalArgumentException("cluster " + launched + " does not fit kernel '" + kernel
          + "', which has .reqnctapercluster " + required.get() + ": launch with that");
    }
    if (explicit && required.isEmpty() && !named) {
      throw new IllegalArgumentException("kernel '" + kernel + "' has .explicitcluster: name the launch's cluster");
    }
    var cluster = required.orElse(launched);
    if (cluster.x() < 1 || cluster.y() < 1 || cluster.z() < 1) {
      throw new IllegalArgumentException("cluster " + cluster + " is empty: every extent must be at least 1");
    }
    int limit = Math.min(MOST, most.orElse(MOST));
    if (cluster.size() > limit) {
      throw new IllegalArgumentException("cluster " + cluster + " has " + cluster.size() + " blocks, but kernel '"
          + kernel + "' allows at most " + limit);
    }
    return cluster;
  }
}
