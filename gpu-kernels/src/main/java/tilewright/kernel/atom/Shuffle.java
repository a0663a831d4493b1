package tilewright.kernel.atom;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** {@code shfl.sync.bfly}: values between the lanes of a warp, all of which take part (PTX ISA, shfl.sync; SM30). */
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

  /** The non-negative value of the lane whose number differs in exactly the bits of {@code mask}. */
  public static I32 butterfly(Scope k, I32 value, int mask) {
    var result = k.newRegister(PtxType.B32);
    exchange(k, result, value.register(), mask);
    return k.result(result, Integer.MAX_VALUE);
  }

  private static void exchange(Scope k, Operand.Register result, Operand.Register value, int mask) {
    k.emit("shfl.sync.bfly.b32", result, value, new Operand.Integer(mask), WHOLE_WARP, EVERY_LANE);
  }
}
