package tilewright.ops;

import tilewright.kernel.Kernel;
import tilewright.kernel.PreparedLaunch;

/**
 * Runs a kernel on arrays in the simulator, with the sanitizer on:
 *
 * {@snippet :
 * var run = Simulate.kernel(new VectorAdd()).in("X", x).in("Y", y).out("Z", n).run().requireClean();
 * float[] z = run.floats("Z");
 * }
 *
 * {@link Device#gpu()} has the same calls for a GPU.
 */
public final class Simulate {
  private Simulate() {}

  /** Returns the call of a kernel, to be given its tensors. */
  public static KernelCall kernel(Kernel kernel) {
    return Device.simulator().kernel(kernel);
  }

  /** Returns the call of a launch that a library has prepared, to be given its buffers. */
  public static KernelCall launch(PreparedLaunch launch) {
    return Device.simulator().launch(launch);
  }
}
