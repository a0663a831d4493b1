package tilewright.sm100.atom;

import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code clusterlaunchcontrol}: a cluster that runs has the launch of another cancelled, and does its work (PTX ISA,
 * clusterlaunchcontrol; SM100).
 */
public final class LaunchControl {
  /** Bytes of an answer, which begins at a multiple of them. */
  public static final int BYTES = 16;

  private LaunchControl() {}

  /**
   * An answer.
   *
   * @param cancelled whether there was a cluster left
   * @param blockX where that cluster's first block would have been in the grid; any number where there was none
   */
  public record Answer(Pred cancelled, I32 blockX) {}

  /**
   * Asks; the answer's bytes land in the same place of every block of the cluster, and on its barrier there.
   *
   * @param place of the answer in shared memory, in bytes
   */
  public static void tryCancel(Scope k, I32 place, Mbarrier answered, int blocks) {
    k.emit("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        + (blocks > 1 ? ".multicast::cluster::all" : "") + ".b128", k.address(place), answered.address());
  }

  /** Reads an answer that has landed. */
  public static Answer read(Scope k, I32 place) {
    var answer = k.newRegister(PtxType.B128);
    k.emit("ld.shared.b128", answer, k.address(place));
    var cancelled = k.newRegister(PtxType.PRED);
    k.emit("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", cancelled, answer);
    var is = k.predicate(cancelled);
    var block = k.newRegister(PtxType.B32);
    k.emit("mov.b32", block, new Operand.Integer(0));
    k.emit(Optional.of(is), "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128", block, answer);
    return new Answer(is, k.result(block, Integer.MAX_VALUE));
  }
}
