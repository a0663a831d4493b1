package tilewright.simulator.core;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Finding;
import tilewright.simulator.Fp4Model;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.tensorcore.BlockAdder;

/** The state that the CTAs of one launch share. */
public final class LaunchState {
  public final Kernel kernel;
  public final Launch launch;
  public final DeviceSlot slot;
  public final ClusterGrid grid;
  final AddressSpace space;
  final byte[] parameters;
  /** The address of the {@link GridWorkspace}; 0 if the launch has none. */
  final long gridWorkspace;
  public final Findings findings;
  final Places places;
  public final boolean sanitize;
  public final boolean profile;
  public final long seed;
  public final int sharedBytes;
  /** Compute capability times ten; arithmetic of tensor cores depends on it. */
  public final int architecture;
  public final Fp4Model fp4Model;
  /** Present where schedules are explored. */
  public final Optional<SyncTrace> trace;
  public final BlockAdder adder = BlockAdder.fastest();
  private final long instructionLimit;
  private final long timeLimitNanos;
  private final long deadline;
  private final AtomicLong nextCluster = new AtomicLong();
  private final AtomicLong instructions = new AtomicLong();
  private volatile boolean stopped;
  /** The text that each block has printed. */
  private final Map<Long, StringBuilder> printed = new TreeMap<>();

  /** A launch that runs alone. */
  public LaunchState(Kernel kernel, Launch launch, SimulatorOptions options, AddressSpace space, byte[] parameters,
      long start, Optional<SyncTrace> trace) {
    this(kernel, launch, options, space, parameters, start, trace, DeviceSlot.ALONE);
  }

  public LaunchState(Kernel kernel, Launch launch, SimulatorOptions options, AddressSpace space, byte[] parameters,
      long start, Optional<SyncTrace> trace, DeviceSlot slot) {
    this.trace = trace;
    this.slot = slot;
    this.kernel = kernel;
    this.launch = launch;
    grid = ClusterGrid.of(kernel, launch);
    this.space = space;
    this.parameters = parameters;
    gridWorkspace = GridWorkspace.needed(launch) ? space.last() : 0;
    findings = new Findings(kernel);
    places = new Places(kernel, space, options.coordinates());
    sanitize = options.sanitize();
    profile = options.profile();
    seed = options.seed();
    fp4Model = options.fp4Model();
    architecture = architecture(kernel, options);
    if (architecture < 80) {
      throw new IllegalArgumentException(
          "tensor cores of sm_" + architecture + " are not modelled: use 80 or newer");
    }
    instructionLimit = options.instructionLimit();
    timeLimitNanos = options.timeLimit().toNanos();
    deadline = start + timeLimitNanos;
    sharedBytes = launch.dynamicSharedBytes() > 0 ? kernel.memory().dynamicSharedOffset() + launch.dynamicSharedBytes()
        : kernel.memory().staticSharedBytes();
  }

  /** Returns the compute capability times ten of the GPU that a launch is simulated on. */
  public static int architecture(Kernel kernel, SimulatorOptions options) {
    return options.architecture().orElse(Math.max(80, kernel.target()));
  }

  /** Whether a CTA is one of this launch's; CTAs of other devices have other numbers. */
  public boolean has(long cta) {
    return cta >= slot.firstCta() && cta < slot.firstCta() + grid.grid().size();
  }

  /** The position of the CTA of that number. */
  public Dim3 blockAt(long cta) {
    return grid.blockAt(cta - slot.firstCta());
  }

  /** The position in its block of the thread of that number. */
  public Dim3 threadAt(int thread) {
    var block = launch.block();
    return new Dim3(thread % block.x(), thread / block.x() % block.y(), thread / (block.x() * block.y()));
  }

  public boolean watched() {
    return sanitize || profile;
  }

  /** The number of the next cluster, which the caller launches, or whose work it does; empty if there is none left. */
  public OptionalLong takeCluster() {
    long number = nextCluster.get() < grid.clusters().size() ? nextCluster.getAndIncrement() : Long.MAX_VALUE;
    return number < grid.clusters().size() ? OptionalLong.of(number) : OptionalLong.empty();
  }

  public boolean hasClusters() {
    return nextCluster.get() < grid.clusters().size();
  }

  public boolean stopped() {
    return stopped;
  }

  public void stop() {
    stopped = true;
  }

  public long instructions() {
    return instructions.get();
  }

  synchronized void print(long block, String text) {
    printed.computeIfAbsent(block, _ -> new StringBuilder()).append(text);
  }

  /** The text that was printed, by block: the same whatever ran first. */
  public synchronized String printed() {
    return String.join("", printed.values());
  }

  /** Counts what a CTA has executed, and ends the launch when that was too much. */
  public void executed(long n) {
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
