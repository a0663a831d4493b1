package tilewright.cli.launch;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuException;
import tilewright.device.driver.GpuProbe;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.Profile;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The device that runs a launch. */
public enum Backend {
  /** The simulator, on any machine. */
  SIM {
    @Override
    public Result run(Launch launch) {
      return simulate(launch, SimulatorOptions.defaults().withOutput(System.err::print));
    }
  },
  /** The first NVIDIA GPU. */
  GPU {
    @Override
    public Result run(Launch launch) {
      try (var gpu = openGpu()) {
        return runOn(gpu, launch);
      }
    }

    @Override
    public OptionalInt capability() {
      return Gpu.probe() instanceof GpuProbe.Available(_, var devices)
          ? OptionalInt.of(devices.getFirst().capability()) : OptionalInt.empty();
    }
  };

  /**
   * @param findings what is wrong with the launch; empty for a clean run
   * @param instructions thread instructions executed, where they are counted
   * @param ms wall time in the simulator, device time on a GPU
   * @param profile what the launch did, where that was asked for
   */
  public record Result(List<?> findings, Optional<Long> instructions, double ms, Optional<Profile> profile) {
    public Result {
      findings = List.copyOf(findings);
    }

    static Result of(SimulationResult result) {
      return new Result(result.findings(), Optional.of(result.instructions()), result.time().toNanos() / 1e6,
          result.profile());
    }

    /** The result of this run and a further one, with the further one's profile. */
    Result then(Result next) {
      return new Result(Stream.of(findings, next.findings).flatMap(List::stream).toList(),
          instructions.flatMap(some -> next.instructions.map(more -> some + more)), ms + next.ms, next.profile);
    }
  }

  /**
   * Runs the launch; its buffers hold the results afterwards.
   *
   * @throws CommandFailure if this machine lacks the backend
   */
  public abstract Result run(Launch launch);

  /** Returns the compute capability, times ten, of the GPU that runs launches, if one does. */
  public OptionalInt capability() {
    return OptionalInt.empty();
  }

  /** Like {@link #run(Launch)}, with progress on the console once the launch takes longer than a moment. */
  public Result run(Launch launch, Console console) {
    return run(List.of(launch), console);
  }

  /** Runs launches one after the other, up to the first with findings. */
  public Result run(List<Launch> launches, Console console) {
    var total = new Result(List.of(), Optional.of(0L), 0, Optional.empty());
    try (var progress = new LaunchProgress(console, launches.size())) {
      for (var launch : launches) {
        progress.begins(launch.entry() + " on " + this);
        total = total.then(run(launch));
        if (!total.findings.isEmpty()) break;
      }
    }
    return total;
  }

  static Result simulate(Launch launch, SimulatorOptions options) {
    return Result.of(Simulator.run(launch, options));
  }

  /** Runs launches of several devices at the same time. */
  static Result simulate(LaunchGroup group, SimulatorOptions options) {
    var result = Simulator.run(group, options);
    var devices = result.devices().values();
    return new Result(result.findings(), Optional.of(devices.stream().mapToLong(SimulationResult::instructions).sum()),
        devices.stream().mapToLong(r -> r.time().toNanos()).max().orElse(0) / 1e6, Optional.empty());
  }

  static Result runOn(Gpu gpu, Launch launch) {
    try {
      return new Result(List.of(), Optional.empty(), gpu.run(launch), Optional.empty());
    } catch (GpuException e) {
      return new Result(List.of(e.getMessage()), Optional.empty(), 0, Optional.empty());
    }
  }

  /** @throws CommandFailure if there is no GPU */
  static Gpu openGpu() {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) {
      throw CommandFailure.environmentLacks(reason + "; needed is an NVIDIA GPU with its driver");
    }
    return Gpu.open(0);
  }

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
