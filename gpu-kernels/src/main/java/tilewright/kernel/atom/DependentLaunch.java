package tilewright.kernel.atom;

import tilewright.kernel.Scope;
import tilewright.ptx.LaunchFeature;

/**
 * {@code griddepcontrol}: a kernel begins while the stream's previous one ends (PTX ISA, griddepcontrol; CUDA,
 * programmatic dependent launch; SM90).
 */
public final class DependentLaunch {
  private DependentLaunch() {}

  /** Lets the next kernel's blocks begin as soon as there is room and a thread of every block has said so, or ended. */
  public static void allowNext(Scope k) {
    k.emit("griddepcontrol.launch_dependents");
  }

  /** Waits until the previous kernel has ended; before this, global memory is neither read nor written. */
  public static void awaitPrevious(Scope k) {
    k.launchedWith(LaunchFeature.PROGRAMMATIC);
    k.emit("griddepcontrol.wait");
  }
}
