package tilewright.sm100.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.ptx.Operand;

/** Does something once for a whole warp, after everything that its lanes have done. */
public final class WarpSync {
  private WarpSync() {}

  /** Arrives at a barrier. */
  public static void arrive(Scope k, I32 thread, Mbarrier barrier) {
    once(k, thread, barrier::arrive);
  }

  /** Has the first lane act for the warp. */
  public static void once(Scope k, I32 thread, Runnable action) {
    k.emit("bar.warp.sync", new Operand.Integer(-1));
    k.when(thread.modulo(Warp.SIZE).equalTo(0), action);
  }
}
