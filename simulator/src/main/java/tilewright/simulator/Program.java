package tilewright.simulator;

import java.util.ArrayList;
import java.util.Map;
import java.util.TreeSet;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxModule;
import tilewright.simulator.compiler.KernelCompiler;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.Machine;

/** A loaded module. It keeps no state between launches and may run several at a time. */
public final class Program {
  private final PtxModule module;
  private final Map<String, Kernel> kernels;
  private Map<String, Kernel> watched = Map.of();

  private Program(PtxModule module, Map<String, Kernel> kernels) {
    this.module = module;
    this.kernels = Map.copyOf(kernels);
  }

  static Program of(PtxModule module) {
    return new Program(module, compile(module, false));
  }

  private static Map<String, Kernel> compile(PtxModule module, boolean watched) {
    var problems = new ArrayList<UnsupportedPtxException.Problem>();
    var kernels = KernelCompiler.compile(module, watched, problems);
    if (!problems.isEmpty()) throw new UnsupportedPtxException(problems);
    return kernels;
  }

  /** The code that tells the sanitizer and the profile what it does: other code, so that the usual one pays nothing. */
  private synchronized Kernel watched(String entry) {
    if (watched.isEmpty()) watched = compile(module, true);
    return watched.get(entry);
  }

  /**
   * Executes one launch to its end or to its first fatal error. Results are written into the launch's buffers.
   *
   * @throws IllegalArgumentException when the launch does not fit the kernel: no such entry, other parameters, a block
   *     of more than 1024 threads, clusters
   */
  public SimulationResult run(Launch launch, SimulatorOptions options) {
    var kernel = kernels.get(launch.entry());
    if (kernel == null) {
      throw new IllegalArgumentException("the module has no kernel '" + launch.entry() + "': it has "
          + new TreeSet<>(kernels.keySet()));
    }
    return Machine.run(options.sanitize() || options.profile() ? watched(launch.entry()) : kernel, launch, options);
  }
}
