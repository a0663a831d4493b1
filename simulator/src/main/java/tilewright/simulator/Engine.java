package tilewright.simulator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxModule;

/**
 * The compiler and the machine behind {@link Program}, which finds them by {@link java.util.ServiceLoader}: their
 * packages use this one, and this one does not use them.
 */
public interface Engine {
  /**
   * Compiles the kernels of a module, by name.
   *
   * @param only the one kernel to compile
   * @param watching whether the code also tells the sanitizer and the profile what it does
   * @param problems receives each statement that cannot be executed
   * @param check called now and then: it ends the work by throwing an exception
   */
  Map<String, Executable> compile(PtxModule module, Optional<String> only, boolean watching,
      List<UnsupportedPtxException.Problem> problems, Runnable check);

  /** A compiled kernel. */
  @FunctionalInterface
  interface Executable {
    /**
     * Runs a launch that fits the kernel; its buffers are updated in place.
     *
     * @param start {@link System#nanoTime} when the limited time began
     */
    SimulationResult run(Launch launch, SimulatorOptions options, long start);
  }
}
