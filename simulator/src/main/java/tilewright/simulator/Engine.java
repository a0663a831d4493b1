package tilewright.simulator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.ptx.PtxModule;

/**
 * The compiler and the machine behind {@link Program}, which finds them by {@link java.util.ServiceLoader}: their
 * packages use this one, and this one does not use them.
 */
public interface Engine {
  /** The kinds of code that a kernel can become. */
  enum Code {
    /** Code for the kernel's work alone. */
    FAST,
    /** Code that reports to the sanitizer and the profile. */
    WATCHED,
    /** Watched code with a block for each instruction that synchronises, where schedules interleave. */
    STEPWISE
  }

  /**
   * Compiles the kernels of a module, by name.
   *
   * @param firstWindow the address window of the module's first variable; the others follow
   * @param only the one kernel to compile
   * @param code what the code does beside the kernel's work
   * @param problems receives each statement that cannot be executed
   * @param check called now and then: it ends the work by throwing an exception
   */
  Map<String, Executable> compile(PtxModule module, int firstWindow, Optional<String> only, Code code,
      List<UnsupportedPtxException.Problem> problems, Runnable check);

  /** The variables of a module in global and constant memory, in order of their address windows. */
  List<GlobalVariable> variables(PtxModule module, int firstWindow);

  /**
   * Runs launches at the same time, each on a device of its own; their buffers are updated in place.
   *
   * @param kernels of the members, which this engine compiled
   * @param start {@link System#nanoTime} when the limited time began
   */
  GroupResult run(List<Executable> kernels, LaunchGroup group, SimulatorOptions options, long start);

  /** A compiled kernel. */
  interface Executable {
    /**
     * Runs a launch that fits the kernel; its buffers are updated in place.
     *
     * @param memory the global memory of a launch without buffers
     * @param start {@link System#nanoTime} when the limited time began
     */
    SimulationResult run(Launch launch, SimulatorOptions options, Optional<DeviceMemory> memory, long start);

    /** Explores the schedules of a launch; the code must be stepwise. */
    Exploration explore(Launch launch, SimulatorOptions options, ExplorationLimits limits);

    /** Runs a launch under one schedule; the code must be stepwise. */
    SimulationResult replay(Launch launch, SimulatorOptions options, Schedule schedule);

    KernelResources resources();
  }
}
