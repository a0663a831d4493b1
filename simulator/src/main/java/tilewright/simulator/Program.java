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
  private final Map<String, Kernel> kernels;

  private Program(Map<String, Kernel> kernels) {
    this.kernels = Map.copyOf(kernels);
  }

  static Program of(PtxModule module) {
    var problems = new ArrayList<UnsupportedPtxException.Problem>();
    var kernels = KernelCompiler.compile(module, problems);
    if (!problems.isEmpty()) throw new UnsupportedPtxException(problems);
    return new Program(kernels);
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
    return Machine.run(kernel, launch, options);
  }
}
