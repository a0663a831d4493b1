package tilewright.kernel;

import java.util.ArrayList;
import java.util.List;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/** Neighbours that one access read, in registers as they were in memory: narrow types stay packed until used. */
public final class Vector {
  private final Scope k;
  private final ElementType type;
  private final int count;
  private final List<Operand.Register> registers;

  Vector(Scope k, ElementType type, int count, List<Operand.Register> registers) {
    this.k = k;
    this.type = type;
    this.count = count;
    this.registers = List.copyOf(registers);
  }

  /** Adds the sum of all bytes, signed, to an integer: one instruction for four of them. */
  public void addBytesTo(I32Variable sum) {
    if (type != ElementType.I8) throw new TraceException("only i8 is added as bytes, not " + type.text());
    for (var register : registers) {
      if (count < 4) sum.add(Conversion.widenByte(k, register));
      else sum.addDot(register, 0x01010101);
    }
  }

  /** The numbers, exactly converted to single precision here: what is live in between is the packed form. */
  public List<F32> values() {
    if (type.bits() == 32 || count == 1) return registers.stream().map(r -> Conversion.toF32(k, type, r)).toList();
    var values = new ArrayList<F32>();
    for (var register : registers) values.addAll(Conversion.unpack(k, type, register));
    return values;
  }
}
