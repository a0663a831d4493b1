package tilewright.kernel.atom;

import tilewright.kernel.Scope;
import tilewright.ptx.LaunchFeature;

/**
 * {@code griddepcontrol}: a kernel begins while the stream's previous one ends (PTX ISA, griddepcontrol; CUDA,
 * programmatic dependent launch; SM90).
 */
public final class DependentLaunch {
  private DependentLaunch() {}

  /**
   * Lets the next kernel's blocks begin as soon as there is room and a thread of every block has said so, or ended.
   * That one's {@link #awaitPrevious} waits for the end of this kernel all the same, and so for all that it writes.
   */
  public static void allowNext(Scope k) {
    k.emit("griddepcontrol.launch_dependents");
  }

  /**
   * Waits until earlier kernels have ended, and what they wrote is there. Before this, global memory is neither written
   * nor read, by this thread or others, but for tensors that are {@link #readsAhead read ahead}; threads that come
   * behind one that has waited, by a barrier or an mbarrier, need not wait too.
   */
  public static void awaitPrevious(Scope k) {
    k.launchedWith(LaunchFeature.PROGRAMMATIC);
    k.emit("griddepcontrol.wait");
  }

  /** Says that no earlier kernel writes a tensor, which may be read before the wait; the caller has to see to that. */
  public static void readsAhead(Scope k, String tensor) {
    k.readsAhead(tensor);
  }
}
