package tilewright.simulator.core;

import java.util.Arrays;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * A thread block: its warps and its shared memory. What instructions of one kind work with, such as barriers or Tensor
 * Memory, belongs to subclasses, which the packages of those instructions ask for by an interface of their own.
 */
public abstract class Cta {
  public final Cluster cluster;
  /** Its place in the cluster. */
  public final int rank;
  public final Kernel kernel;
  final Launch launch;
  public final LaunchState state;
  public final AddressSpace space;
  public final byte[] parameters;
  public final int threads;
  public final Warp[] warps;
  public final byte[] shared;
  public final int sharedBytes;
  public final Places places;
  /** Null when nobody looks on. */
  public final Watch watch;
  public long number;
  /** Whether a thread of it has run yet. */
  public boolean started;
  public Dim3 position = new Dim3(0, 0, 0);
  /** {@code %ntid}, {@code %ctaid} and {@code %nctaid}, each by dimension and lane: the same for all lanes. */
  final int[][] ntid;
  final int[][] ctaid = new int[3][Warp.LANES];
  final int[][] nctaid;

  /** @param watch makes the watch over the CTA; it gives null when nobody looks on */
  protected Cta(Cluster cluster, int rank, Function<Cta, Watch> watch) {
    this.cluster = cluster;
    this.rank = rank;
    state = cluster.state;
    kernel = state.kernel;
    launch = state.launch;
    space = state.space;
    parameters = state.parameters;
    threads = (int) launch.block().size();
    sharedBytes = state.sharedBytes;
    shared = new byte[sharedBytes];
    warps = new Warp[(threads + Warp.LANES - 1) / Warp.LANES];
    places = state.places;
    ntid = spread(launch.block(), new int[3][Warp.LANES]);
    nctaid = spread(state.grid.grid(), new int[3][Warp.LANES]);
    this.watch = watch.apply(this);
    for (int i = 0; i < warps.length; i++) warps[i] = new Warp(this, i);
  }

  /** Becomes the block at that position. */
  public void reset(Dim3 newPosition) {
    position = newPosition;
    spread(newPosition, ctaid);
    started = false;
    number = state.slot.firstCta() + state.grid.number(position);
    // Whatever a kernel reads without writing it first should look wrong, and the same every time.
    Arrays.fill(shared, (byte) 0xCD);
    for (var w : warps) w.reset();
  }

  private static int[][] spread(Dim3 extents, int[][] rows) {
    Arrays.fill(rows[0], extents.x());
    Arrays.fill(rows[1], extents.y());
    Arrays.fill(rows[2], extents.z());
    return rows;
  }

  public RandomGenerator random() {
    return cluster.random();
  }

  /** Whether any of its threads can go on. */
  public boolean runs() {
    for (var w : warps) if (w.runnable()) return true;
    return false;
  }

  /** Whether any of its threads wait. */
  public boolean waits() {
    for (var w : warps) for (var g : w.groups) if (g.state != LaneGroup.State.RUNNING) return true;
    return false;
  }

  public boolean finished() {
    for (var w : warps) if (!w.finished()) return false;
    return true;
  }

  /** Tells who explores schedules that something relies on the CTA's being there. */
  public void traceUse() {
    state.trace.ifPresent(t -> {
      t.uses(SyncObject.start(this), SyncTrace.Use.POLL, started ? 1 : 0, false);
      t.uses(SyncObject.life(this), SyncTrace.Use.POLL, finished() ? 1 : 0, false);
    });
  }

  int clusterRegister(SpecialRegister register) {
    var grid = state.grid;
    return switch (register) {
      case CLUSTERID_X -> grid.clusterAt(cluster.number).x();
      case CLUSTERID_Y -> grid.clusterAt(cluster.number).y();
      case CLUSTERID_Z -> grid.clusterAt(cluster.number).z();
      case NCLUSTERID_X -> grid.clusters().x();
      case NCLUSTERID_Y -> grid.clusters().y();
      case NCLUSTERID_Z -> grid.clusters().z();
      case CLUSTER_CTAID_X -> grid.inCluster(rank).x();
      case CLUSTER_CTAID_Y -> grid.inCluster(rank).y();
      case CLUSTER_CTAID_Z -> grid.inCluster(rank).z();
      case CLUSTER_NCTAID_X -> grid.cluster().x();
      case CLUSTER_NCTAID_Y -> grid.cluster().y();
      case CLUSTER_NCTAID_Z -> grid.cluster().z();
      case CLUSTER_CTARANK -> rank;
      case CLUSTER_NCTARANK -> grid.size();
      case IS_EXPLICIT_CLUSTER -> grid.explicit() ? 1 : 0;
      default -> throw new IllegalArgumentException(register + " does not concern clusters");
    };
  }

  /** A thread prints. */
  public void print(String text) {
    state.print(number, text);
  }

  /** Where an instruction stands, to follow what it did. */
  public String at(int site) {
    var at = kernel.sites().get(site);
    return " at " + at.where() + " (" + at.text() + ")";
  }
}
