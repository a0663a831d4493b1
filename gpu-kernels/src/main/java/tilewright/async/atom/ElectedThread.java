package tilewright.async.atom;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * One thread of a warp, as the assembler understands it: what it does is then made of instructions for whole warps,
 * such as tensor copies, without a loop over the threads that might do so too (PTX ISA, elect.sync).
 */
public final class ElectedThread {
  private static final Operand EVERY_LANE = new Operand.Integer(-1);

  private ElectedThread() {}

  /**
   * Has one thread of a warpgroup's first warp do something.
   *
   * @param lane the thread's number in its warpgroup, all of whose warps are here
   */
  public static void ofWarpgroup(Scope k, I32 lane, Runnable body) {
    var warp = Shuffle.first(k, lane.dividedBy(Warp.SIZE), Warpgroup.WARPS - 1);
    k.when(warp.equalTo(0), () -> k.when(elect(k), body));
  }

  private static Pred elect(Scope k) {
    var elected = k.newRegister(PtxType.PRED);
    k.emit("elect.sync", new Operand.Pair(new Operand.Sink(), elected), EVERY_LANE);
    return k.predicate(elected);
  }
}
