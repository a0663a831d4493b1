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
   * Has one thread of a warp of a group do something.
   *
   * @param lane of each thread in its group, all of whose warps are here
   * @param warp of the group whose thread it is
   * @param warps of the group
   */
  public static void of(Scope k, I32 lane, int warp, int warps, Runnable body) {
    var mine = Shuffle.first(k, lane.dividedBy(Warp.SIZE), warps - 1);
    k.when(mine.equalTo(warp), () -> k.when(elect(k), body));
  }

  private static Pred elect(Scope k) {
    var elected = k.newRegister(PtxType.PRED);
    k.emit("elect.sync", new Operand.Pair(new Operand.Sink(), elected), EVERY_LANE);
    return k.predicate(elected);
  }
}
