package tilewright.sm100.atom;

import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.ptx.PtxType;

/**
 * {@code tcgen05.commit}: a barrier receives an arrival when all multiplications and copies that this thread has issued
 * are over (PTX ISA, tcgen05.commit; SM100).
 */
public final class TensorCommit {
  private TensorCommit() {}

  /** Arrives at this CTA's barrier. */
  public static void arrive(Scope k, int ctas, Mbarrier barrier) {
    k.emit(form(ctas), barrier.address());
  }

  /** Arrives at the barrier in the same place of every block of the cluster whose bit is set. */
  public static void multicast(Scope k, int ctas, Mbarrier barrier, I32 blocks) {
    var mask = k.newRegister(PtxType.B16);
    k.emit("cvt.u16.u32", mask, blocks.register());
    k.emit(form(ctas).replace(".b64", ".multicast::cluster.b64"), barrier.address(), mask);
  }

  private static String form(int ctas) {
    return "tcgen05.commit" + TensorMemory.group(ctas) + ".mbarrier::arrive::one.shared::cluster.b64";
  }
}
