package tilewright.simulator;

import tilewright.ptx.Launch;
import tilewright.ptx.PtxModule;

/** A loaded module. It keeps no state between launches and may run several at a time. */
public final class Program {
  private final PtxModule module;

  private Program(PtxModule module) {
    this.module = module;
  }

  static Program of(PtxModule module) {
    return new Program(module);
  }

  /**
   * Executes one launch to its end or to its first fatal error. Results are written into the launch's buffers.
   *
   * @throws IllegalArgumentException when the launch does not fit the kernel: no such entry, other parameters, a block
   *     of more than 1024 threads, clusters
   */
  public SimulationResult run(Launch launch, SimulatorOptions options) {
    throw new IllegalStateException("not executed yet: " + launch.entry() + " of " + module.target());
  }
}
