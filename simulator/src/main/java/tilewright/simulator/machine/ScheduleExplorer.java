package tilewright.simulator.machine;

import tilewright.ptx.Launch;
import tilewright.simulator.Exploration;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.Schedule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.explore.Explorer;

/** Explores the schedules of small launches, and replays one of them. Kernels are stepwise code. */
public final class ScheduleExplorer {
  private static final int MOST_CLUSTERS = 64;
  private static final int MOST_WARPS = 256;

  private ScheduleExplorer() {}

  /** Explores the schedules of a launch; its buffers then hold the results of the last run. */
  public static Exploration explore(Kernel kernel, Launch launch, SimulatorOptions options, ExplorationLimits limits) {
    require(kernel, launch, options);
    long start = System.nanoTime();
    // Each run is small; only all of them together take long.
    var quiet = options.withSanitizer(true).withTimeLimit(limits.time().plus(options.timeLimit()));
    var explorer = new Explorer(() -> new ScheduledRun(kernel, launch, quiet, start), limits, start);
    var end = explorer.explore();
    var result = ((ScheduledRun) end.last()).finish(launch, quiet, start);
    return explorer.result(end, result.findings());
  }

  /** Runs a launch under one schedule, with the sanitizer, and to its end where the schedule ends before. */
  public static SimulationResult replay(Kernel kernel, Launch launch, SimulatorOptions options, Schedule schedule) {
    require(kernel, launch, options);
    long start = System.nanoTime();
    var watched = options.withSanitizer(true);
    var run = new ScheduledRun(kernel, launch, watched, start);
    int step = 0;
    for (var enabled = run.enabled(); !enabled.isEmpty() && !run.failed(); enabled = run.enabled()) {
      var agent = step < schedule.steps().size() ? schedule.steps().get(step) : enabled.getFirst();
      step++;
      if (!enabled.contains(agent)) {
        throw new IllegalArgumentException("the schedule is of another launch: its step " + step + ", '" + agent
            + "', is none of " + enabled);
      }
      run.step(agent);
    }
    return run.finish(launch, watched, start);
  }

  private static void require(Kernel kernel, Launch launch, SimulatorOptions options) {
    LaunchChecks.require(kernel, launch, LaunchState.architecture(kernel, options));
    MemoryNeed.excess(kernel, launch, options.withSanitizer(true)).ifPresent(excess -> {
      throw new IllegalArgumentException(excess.findings().getFirst().message());
    });
    if (kernel.clusters().cancels()) {
      throw new IllegalArgumentException("kernel '" + kernel.name() + "' cancels launches of clusters, whose schedules "
          + "cannot be explored");
    }
    long warps = launch.grid().size() * Math.ceilDiv(launch.block().size(), 32);
    if (launch.grid().size() > MOST_CLUSTERS || warps > MOST_WARPS) {
      throw new IllegalArgumentException("the launch has " + launch.grid().size() + " blocks and " + warps
          + " warps, and schedules can be explored for at most " + MOST_CLUSTERS + " and " + MOST_WARPS
          + ": launch fewer");
    }
  }
}
