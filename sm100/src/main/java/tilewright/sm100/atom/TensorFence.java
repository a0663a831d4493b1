package tilewright.sm100.atom;

import tilewright.kernel.Scope;

/** Fences that order {@code tcgen05} operations of different threads (PTX ISA, tcgen05.fence; SM100). */
public final class TensorFence {
  private TensorFence() {}

  /** Before a signal to other threads: this thread's earlier operations come before what they do behind the signal. */
  public static void beforeSync(Scope k) {
    k.emit("tcgen05.fence::before_thread_sync");
  }

  /** Orders this thread's later operations after what other threads did before the signal that it has waited for. */
  public static void afterSync(Scope k) {
    k.emit("tcgen05.fence::after_thread_sync");
  }

  /** Waits until this thread's loads from Tensor Memory have filled their registers. */
  public static void waitForLoads(Scope k) {
    k.emit("tcgen05.wait::ld.sync.aligned");
  }

  /** Waits until this thread's stores to Tensor Memory are done. */
  public static void waitForStores(Scope k) {
    k.emit("tcgen05.wait::st.sync.aligned");
  }
}
