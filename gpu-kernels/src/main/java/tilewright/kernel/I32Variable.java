package tilewright.kernel;

import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** An integer variable that changes as the kernel runs, such as the stage of a ring. */
public final class I32Variable {
  private final Scope k;
  private final Values.Cell cell;
  private final int max;

  I32Variable(Scope k, I32 initial, int max) {
    this.k = k;
    this.cell = new Values.Cell(k, PtxType.B32);
    this.max = max;
    set(initial);
  }

  /** The present value. */
  public I32 value() {
    return new I32(k, Linear.of(cell.read(k, 0, max, Bits.upTo(max))));
  }

  public void set(I32 value) {
    k.emit(Optional.empty(), "mov.b32", cell.register, value.operand());
    cell.changed();
  }

  /** Adds a register. */
  void add(Operand.Register value) {
    k.emit(Optional.empty(), "add.s32", cell.register, cell.register, value);
    cell.changed();
  }

  /** Adds the products of four signed bytes with those of a constant (dp4a; SM61). */
  void addDot(Operand.Register bytes, int factors) {
    k.emit(Optional.empty(), "dp4a.s32.s32", cell.register, bytes, new Operand.Integer(factors), cell.register);
    cell.changed();
  }
}
