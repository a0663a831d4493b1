package tilewright.junit;

import tilewright.kernel.Kernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.ops.KernelCall;
import tilewright.ops.Simulate;

/** The simulator as a {@link KernelTest} gets it: with the sanitizer, whose findings fail the test. */
public final class Simulation {
  private final long seed;

  Simulation(long seed) {
    this.seed = seed;
  }

  /** Returns the call of a kernel, to be given its tensors. */
  public KernelCall kernel(Kernel kernel) {
    return Simulate.kernel(kernel).seed(seed).failOnFindings();
  }

  /** Returns the call of a launch that a library has prepared, to be given its buffers. */
  public KernelCall launch(PreparedLaunch launch) {
    return Simulate.launch(launch).seed(seed).failOnFindings();
  }

  /** Returns the number that chooses the order of warps and asynchronous copies; equal ones replay equal orders. */
  public long seed() {
    return seed;
  }
}
