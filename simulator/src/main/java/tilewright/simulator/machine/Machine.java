package tilewright.simulator.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.simulator.DeviceMemory;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.GridWorkspace;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.Warp;
import tilewright.simulator.mma.MmaArithmetic;
import tilewright.simulator.profile.LaunchProfile;
import tilewright.simulator.sanitizer.GlobalShadows;
import tilewright.simulator.sanitizer.LaunchHistory;

/** Executes launches: lays out memory, spreads the clusters over threads, and gathers what they did. */
public final class Machine {
  /** Scheduler turns after which a cluster that may wait for another one lets that one run. */
  private static final int SLICE = 1 << 16;
  private static final int MOST_ACTIVE = 64;
  /** Scheduler turns where clusters compete for those that have not been launched, or wait for all others. */
  private static final int SHORT_SLICE = 64;
  private static final int MOST_CANCELLING = 4;

  private final LaunchState state;
  private final LaunchHistory history;
  private final LaunchProfile profile;
  private final int slice;
  private final int mostActive;

  private Machine(LaunchState state, LaunchHistory history) {
    this.state = state;
    this.history = history;
    profile = new LaunchProfile(state);
    boolean cancels = state.kernel.clusters().cancels();
    slice = cancels || cooperative() ? SHORT_SLICE : SLICE;
    mostActive = cancels ? 1 + new SplittableRandom(state.seed).nextInt(MOST_CANCELLING)
        : cooperative() ? Integer.MAX_VALUE : MOST_ACTIVE;
  }

  /** Whether all clusters are there at the same time: how many fit a device is the driver's to say, and not known. */
  private boolean cooperative() {
    return state.launch.features().contains(LaunchFeature.COOPERATIVE);
  }

  /**
   * Runs a launch that fits the kernel; its buffers are updated in place.
   *
   * @param memory the global memory of a launch without buffers
   * @param start {@link System#nanoTime} when the limited time began
   */
  public static SimulationResult run(Kernel kernel, Launch launch, SimulatorOptions options,
      Optional<DeviceMemory> memory, long start) {
    LaunchChecks.require(kernel, launch, LaunchState.architecture(kernel, options));
    var excess = MemoryNeed.excess(kernel, launch, options);
    if (excess.isPresent()) return excess.get();
    try {
      return memory.isPresent() ? runOn(memory.get(), kernel, launch, options, start)
          : runWithin(kernel, launch, options, start);
    } catch (OutOfMemoryError _) {
      return MemoryNeed.exhausted();
    }
  }

  private static SimulationResult runWithin(Kernel kernel, Launch launch, SimulatorOptions options, long start) {
    var memory = LaunchMemory.of(kernel, launch, options);
    var result = execute(memory.state(kernel, launch, options, start, Optional.empty()), memory.shadows(), options,
        start);
    memory.writeBack(kernel, launch);
    return result;
  }

  private static SimulationResult runOn(DeviceMemory memory, Kernel kernel, Launch launch, SimulatorOptions options,
      long start) {
    boolean workspace = GridWorkspace.needed(launch);
    var shadows = options.sanitize() ? new GlobalShadows(memory.windows()) : new GlobalShadows(List.of());
    var space = new AddressSpace(memory, workspace ? Optional.of(GridWorkspace.initial()) : Optional.empty(),
        options.sanitize() ? Optional.of(shadows) : Optional.empty());
    var parameters = Arguments.encode(kernel, launch, _ -> 0);
    var state = new LaunchState(kernel, launch, options, space, parameters, start, Optional.empty());
    return execute(state, shadows, options, start);
  }

  private static SimulationResult execute(LaunchState state, GlobalShadows shadows, SimulatorOptions options,
      long start) {
    MmaArithmetic.require(state.kernel.sites(), state.architecture);
    var machine = new Machine(state, new LaunchHistory(shadows, state));
    machine.execute(options.threads());
    return result(state, machine.profile, options, start);
  }

  /** The result of a launch that has ended; what it printed goes out. */
  static SimulationResult result(LaunchState state, LaunchProfile profile, SimulatorOptions options, long start) {
    var text = state.printed();
    if (!text.isEmpty()) options.output().accept(text);
    return new SimulationResult(state.findings.list(), state.instructions(),
        Duration.ofNanos(System.nanoTime() - start),
        state.watched() ? profile.traffic().bankConflicts() : List.of(),
        state.watched() ? profile.traffic().globalTraffic() : List.of(),
        state.profile ? Optional.of(profile.profile()) : Optional.empty());
  }

  /** The {@code trap} instruction. */
  public static void trap(Warp w, int mask, int site) {
    int lane = Integer.numberOfTrailingZeros(mask);
    throw new Fault(Finding.Kind.TRAP, site, lane, 0, w.who(lane) + " executes trap");
  }

  /** The {@code brkpt} instruction, which stops a kernel for a debugger. */
  public static void breakpoint(Warp w, int mask, int site) {
    int lane = Integer.numberOfTrailingZeros(mask);
    throw new Fault(Finding.Kind.TRAP, site, lane, 0, w.who(lane) + " executes brkpt, and no debugger is there");
  }

  private void execute(int threads) {
    // Who gets which cluster shall be the same at every run.
    int workers = state.kernel.clusters().cancels() ? 1 : (int) Math.min(threads, state.grid.clusters().size());
    var failures = new ArrayList<Throwable>();
    var helpers = new ArrayList<Thread>();
    for (int i = 1; i < workers; i++) {
      helpers.add(Thread.ofPlatform().daemon().name("cta-worker-" + i).start(() -> work(failures)));
    }
    work(failures);
    boolean interrupted = false;
    for (var t : helpers) {
      while (true) {
        try {
          t.join();
          break;
        } catch (InterruptedException _) {
          state.stop();
          interrupted = true;
        }
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
    if (!failures.isEmpty() && failures.getFirst() instanceof OutOfMemoryError e) throw e;
    if (!failures.isEmpty()) {
      throw new IllegalStateException("the simulator failed, which is its own fault", failures.getFirst());
    }
  }

  private void work(List<Throwable> failures) {
    try {
      var idle = new ArrayList<ClusterRunner>();
      var active = new ArrayList<ClusterRunner>();
      int turn = 0;
      while (!state.stopped()) {
        boolean more = state.hasClusters();
        if (active.isEmpty() || turn >= active.size() && active.size() < mostActive && more) {
          var number = state.takeCluster();
          if (number.isPresent()) {
            var cluster = idle.isEmpty() ? new ClusterRunner(state, profile, history) : idle.removeLast();
            cluster.reset(number.getAsLong());
            active.add(cluster);
          } else if (active.isEmpty()) {
            return;
          }
        }
        if (turn >= active.size()) turn = 0;
        if (slice(active.get(turn))) {
          idle.add(active.remove(turn));
        } else {
          turn++;
        }
      }
    } catch (RuntimeException | Error e) {
      state.stop();
      synchronized (failures) {
        failures.add(e);
      }
    }
  }

  private boolean slice(ClusterRunner runner) {
    try {
      boolean finished = runner.run(slice);
      runner.flush();
      return finished;
    } catch (Fault f) {
      blame(f, runner, state);
      state.stop();
      return true;
    }
  }

  /** Makes the fault that ended a cluster a finding. */
  static void blame(Fault f, ClusterRunner runner, LaunchState state) {
    var cluster = runner.cluster();
    var blamed = f.warp().or(() -> Optional.ofNullable(cluster.running));
    state.findings.add(f, blamed.map(w -> w.cta).orElse(cluster.ctas[0]),
        blamed.map(w -> w.thread(f.lane)).orElse(new Dim3(0, 0, 0)));
  }
}
