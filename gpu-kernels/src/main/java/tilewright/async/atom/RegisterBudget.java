package tilewright.async.atom;

import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;

/**
 * {@code setmaxnreg}: a warpgroup gives registers back, or takes what others gave (PTX ISA, setmaxnreg; SM90). The
 * kernel has asked for one block an SM, or ptxas ignores it.
 */
public final class RegisterBudget {
  private RegisterBudget() {}

  /** Lowers the registers per thread to this number. */
  public static void shrink(Scope k, int registers) {
    change(k, "dec", registers);
  }

  /** Raises the registers per thread to this number, and waits until they are free. */
  public static void grow(Scope k, int registers) {
    change(k, "inc", registers);
  }

  private static void change(Scope k, String direction, int registers) {
    if (registers < 24 || registers > 256 || registers % 8 != 0) {
      throw new TraceException("invalid budget of " + registers + " registers: a multiple of 8 from 24 to 256");
    }
    k.emit("setmaxnreg." + direction + ".sync.aligned.u32", new Operand.Integer(registers));
  }
}
