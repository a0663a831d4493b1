package tilewright.sm100.atom;

import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** {@code elect.sync}: one lane of a warp, which the assembler then knows to be one (PTX ISA, elect.sync; SM90). */
public final class Elect {
  private Elect() {}

  /** True for one lane; all lanes of the warp execute it. */
  public static Pred one(Scope k) {
    var elected = k.newRegister(PtxType.PRED);
    k.emit("elect.sync", new Operand.Pair(new Operand.Sink(), elected), new Operand.Integer(-1));
    return k.predicate(elected);
  }
}
