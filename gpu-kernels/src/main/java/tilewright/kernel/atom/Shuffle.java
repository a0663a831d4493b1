package tilewright.kernel.atom;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Values between the lanes of a warp, all of which take part (PTX ISA, shfl.sync, redux.sync and vote.sync). */
public final class Shuffle {
  private static final Operand WHOLE_WARP = new Operand.Integer(0x1F);
  private static final Operand EVERY_LANE = new Operand.Integer(-1);

  private Shuffle() {}

  /** The value of the lane whose number differs in exactly the bits of {@code mask}. */
  public static F32 butterfly(Scope k, F32 value, int mask) {
    var result = k.newRegister(PtxType.F32);
    exchange(k, result, value.register(), mask);
    return k.result(result);
  }

  /** The sum over all lanes, in every lane ({@code redux.sync}; SM80). */
  public static I32 sum(Scope k, I32 value) {
    var result = k.newRegister(PtxType.B32);
    k.emit("redux.sync.add.s32", result, value.register(), EVERY_LANE);
    return k.result(result, Integer.MAX_VALUE);
  }

  /** The first lane's value: what is the same for a whole warp, so that the assembler knows it too. */
  public static I32 first(Scope k, I32 value, int max) {
    var result = k.newRegister(PtxType.B32);
    k.emit("shfl.sync.idx.b32", result, value.register(), new Operand.Integer(0), WHOLE_WARP, EVERY_LANE);
    return k.result(result, max);
  }

  /** Whether the predicate holds in any lane (PTX ISA, vote.sync). */
  public static Pred any(Scope k, Pred mine) {
    var result = k.newRegister(PtxType.PRED);
    k.emit("vote.sync.any.pred", result, mine.register(), EVERY_LANE);
    return k.predicate(result);
  }

  private static void exchange(Scope k, Operand.Register result, Operand.Register value, int mask) {
    k.emit("shfl.sync.bfly.b32", result, value, new Operand.Integer(mask), WHOLE_WARP, EVERY_LANE);
  }
}
