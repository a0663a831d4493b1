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

  /** The numbers, exactly converted to single precision here: what is live in between is the packed form. */
  public List<F32> values() {
    if (type.bits() != 16 || count == 1) {
      return registers.stream().map(r -> Conversion.toF32(k, type, r)).toList();
    }
    var values = new ArrayList<F32>();
    for (var pair : registers) values.addAll(Conversion.unpack(k, type, pair));
    return values;
  }
}
