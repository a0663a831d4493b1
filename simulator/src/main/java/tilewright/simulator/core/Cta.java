package tilewright.simulator.core;

import java.util.Arrays;
import java.util.SplittableRandom;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.tensorcore.TensorTile;

/** A thread block: its warps and its shared memory. */
final class Cta {
  final Cluster cluster;
  /** Its place in the cluster. */
  final int rank;
  final Kernel kernel;
  final Launch launch;
  final LaunchState state;
  final AddressSpace space;
  final byte[] parameters;
  final int threads;
  final Warp[] warps;
  final byte[] shared;
  final int sharedBytes;
  final Barriers barriers;
  final Mbarriers mbarriers;
  final RegisterPool registers;
  final BulkGroups groups;
  final TensorTile tile;
  final TensorCores tensorCores;
  final MmaUnit mma;
  final WmmaTransfer wmma;
  final TensorMemory tensor;
  /** Null when the launch is not sanitized. */
  final TensorWatch tensorWatch;
  final TensorTransfer transfer = new TensorTransfer();
  private final Warpgroup[] warpgroups;
  final TensorMma tensorMma = new TensorMma();
  final Places places;
  /** Null when the launch is not sanitized. */
  final Sanitizer sanitizer;
  /** Null when nobody looks on. */
  final Watch watch;
  /** Null when the launch is not profiled. */
  final ExecutionCounter executions;
  /** Null when the launch is not profiled, and for later CTAs. */
  Timeline.Recorder recorder;
  long number;
  /** Whether a thread of it has run yet. */
  boolean started;
  Dim3 position = new Dim3(0, 0, 0);
  final WarpRunner runner;
  private WgmmaUnit wgmmaUnit;

  Cta(Cluster cluster, int rank) {
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
    sanitizer = state.sanitize ? new Sanitizer(this) : null;
    watch = state.watched() ? new Watch(sanitizer, state.newTraffic()) : null;
    executions = state.profile ? state.newExecutions() : null;
    barriers = new Barriers(this);
    mbarriers = new Mbarriers(this);
    registers = new RegisterPool(this);
    groups = new BulkGroups(this);
    tile = new TensorTile(state.adder);
    tensorCores = new TensorCores(tile, state.architecture);
    mma = new MmaUnit(tile, state.architecture);
    wmma = new WmmaTransfer();
    tensor = new TensorMemory(this);
    tensorWatch = state.sanitize ? new TensorWatch(this) : null;
    runner = new WarpRunner(this);
    for (int i = 0; i < warps.length; i++) warps[i] = new Warp(this, i);
    warpgroups = new Warpgroup[warps.length / Warpgroup.WARPS];
    Arrays.setAll(warpgroups, i -> new Warpgroup(this, i * Warpgroup.WARPS));
  }

  /** Becomes the block at that position. */
  void reset(Dim3 newPosition) {
    position = newPosition;
    started = false;
    number = state.grid.number(position);
    // Whatever a kernel reads without writing it first should look wrong, and the same every time.
    Arrays.fill(shared, (byte) 0xCD);
    for (var w : warps) w.reset();
    barriers.reset();
    mbarriers.reset();
    registers.reset();
    for (var g : warpgroups) g.reset();
    groups.reset();
    tensor.reset();
    if (tensorWatch != null) tensorWatch.reset();
    tensorMma.reset();
    if (sanitizer != null) sanitizer.reset();
    recorder = state.profile && number < Timeline.MOST_CTAS ? state.timeline.new Recorder(this) : null;
  }

  Warpgroup warpgroup(int index) {
    return warpgroups[index];
  }

  /** What multiplies for warpgroups; large, and so there only once it is asked for. */
  WgmmaUnit wgmma() {
    if (wgmmaUnit == null) wgmmaUnit = new WgmmaUnit(state.adder);
    return wgmmaUnit;
  }

  /** The position of the block of that number. */
  Dim3 blockAt(long block) {
    return state.grid.blockAt(block);
  }

  /** The position in the block of the thread of that number. */
  Dim3 thread(int thread) {
    return warps[thread / Warp.LANES].thread(thread % Warp.LANES);
  }

  SplittableRandom random() {
    return cluster.random();
  }

  /** Whether any of its threads can go on. */
  boolean runs() {
    for (var w : warps) if (w.runnable()) return true;
    return false;
  }

  /** Whether any of its threads wait. */
  boolean waits() {
    for (var w : warps) for (var g : w.groups) if (g.state != LaneGroup.State.RUNNING) return true;
    return false;
  }

  boolean finished() {
    for (var w : warps) if (!w.finished()) return false;
    return true;
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
  void print(String text) {
    state.print(number, text);
  }

  /** Where an instruction stands, to follow what it did. */
  String at(int site) {
    var at = kernel.sites().get(site);
    return " at line " + at.line() + " (" + at.text() + ")";
  }
}
