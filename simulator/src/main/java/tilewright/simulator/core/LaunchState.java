package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import tilewright.ptx.Launch;
import tilewright.simulator.Finding;
import tilewright.simulator.Fp4Model;
import tilewright.simulator.Occupancy;
import tilewright.simulator.Profile;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.tensorcore.BlockAdder;

/** What the CTAs of one launch share. */
final class LaunchState {
  final Kernel kernel;
  final Launch launch;
  final ClusterGrid grid;
  final AddressSpace space;
  final byte[] parameters;
  /** The address of the {@link GridWorkspace}; 0 if the launch has none. */
  final long gridWorkspace;
  final Findings findings;
  final Places places;
  /** By address in global memory, what strong writes made known to all threads; lock it. */
  final Map<Long, VectorClock> published = new HashMap<>();
  /** For the sanitizer. */
  final GlobalAccesses globalAccesses = new GlobalAccesses();
  final boolean sanitize;
  final boolean profile;
  final Timeline timeline = new Timeline();
  final UseTrace uses = new UseTrace();
  private final List<TrafficCounter> traffic = new ArrayList<>();
  private final List<ExecutionCounter> executions = new ArrayList<>();
  final long seed;
  final int sharedBytes;
  /** Compute capability times ten; arithmetic of tensor cores depends on it. */
  final int architecture;
  final Fp4Model fp4Model;
  final BlockAdder adder = BlockAdder.fastest();
  private final long instructionLimit;
  private final long timeLimitNanos;
  private final long deadline;
  private final AtomicLong nextCluster = new AtomicLong();
  private final AtomicLong instructions = new AtomicLong();
  private volatile boolean stopped;
  /** What each block has printed. */
  private final Map<Long, StringBuilder> printed = new TreeMap<>();

  LaunchState(Kernel kernel, Launch launch, SimulatorOptions options, AddressSpace space, byte[] parameters,
      long start) {
    this.kernel = kernel;
    this.launch = launch;
    grid = ClusterGrid.of(kernel, launch);
    this.space = space;
    this.parameters = parameters;
    gridWorkspace = GridWorkspace.needed(launch) ? space.last(GridWorkspace.NAME) : 0;
    findings = new Findings(kernel);
    places = new Places(kernel, space, options.coordinates());
    sanitize = options.sanitize();
    profile = options.profile();
    seed = options.seed();
    fp4Model = options.fp4Model();
    architecture = options.architecture().orElse(Math.max(80, kernel.target()));
    if (architecture < 80) {
      throw new IllegalArgumentException(
          "tensor cores of sm_" + architecture + " are not modelled: use 80 or newer");
    }
    MmaArithmetic.require(kernel.sites(), architecture);
    instructionLimit = options.instructionLimit();
    timeLimitNanos = options.timeLimit().toNanos();
    deadline = start + timeLimitNanos;
    sharedBytes = launch.dynamicSharedBytes() > 0 ? kernel.dynamicSharedOffset() + launch.dynamicSharedBytes()
        : kernel.staticSharedBytes();
  }

  boolean watched() {
    return sanitize || profile;
  }

  /** Counters of their own for the CTAs of a worker. */
  synchronized TrafficCounter newTraffic() {
    traffic.add(new TrafficCounter(kernel.sites()));
    return traffic.getLast();
  }

  synchronized ExecutionCounter newExecutions() {
    executions.add(new ExecutionCounter(kernel.blocks().size()));
    return executions.getLast();
  }

  /** All that was moved. */
  TrafficCounter traffic() {
    var sum = new TrafficCounter(kernel.sites());
    traffic.forEach(sum::add);
    return sum;
  }

  Profile profile() {
    var moved = traffic();
    var executed = new ExecutionCounter(kernel.blocks().size());
    executions.forEach(executed::add);
    var occupancy = Occupancy.of(kernel.target(), kernel.liveRegisters(), sharedBytes - kernel.gapBytes(),
        (int) launch.block().size());
    return new Profile(executed.classes(kernel), executed.executions(kernel), moved.spaces(), moved.bulk(),
        moved.bankConflicts(), moved.globalTraffic(), occupancy, timeline.slices(), uses.barriers(),
        uses.tensorMemory());
  }

  /** The number of the next cluster, which the caller launches, or whose work it does; empty if there is none left. */
  OptionalLong takeCluster() {
    long number = nextCluster.get() < grid.clusters().size() ? nextCluster.getAndIncrement() : Long.MAX_VALUE;
    return number < grid.clusters().size() ? OptionalLong.of(number) : OptionalLong.empty();
  }

  boolean hasClusters() {
    return nextCluster.get() < grid.clusters().size();
  }

  boolean stopped() {
    return stopped;
  }

  void stop() {
    stopped = true;
  }

  long instructions() {
    return instructions.get();
  }

  synchronized void print(long block, String text) {
    printed.computeIfAbsent(block, _ -> new StringBuilder()).append(text);
  }

  /** What was printed, by block: the same whatever ran first. */
  synchronized String printed() {
    return String.join("", printed.values());
  }

  /** Counts what a CTA has executed, and ends the launch when that was too much. */
  void executed(long n) {
    long total = instructions.addAndGet(n);
    if (total > instructionLimit) {
      throw new Fault(Finding.Kind.INSTRUCTION_LIMIT, Fault.NO_SITE, Fault.NO_LANE, 0,
          "stopped after " + total + " thread instructions: the limit is " + instructionLimit);
    }
    if (System.nanoTime() - deadline > 0) {
      throw new Fault(Finding.Kind.TIME_LIMIT, Fault.NO_SITE, Fault.NO_LANE, 0,
          "stopped after " + timeLimitNanos / 1_000_000 + " ms: that is the time limit");
    }
  }
}
