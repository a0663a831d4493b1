package tilewright.sm100.atom;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Two FP32 numbers in a 64-bit register, worked on by one instruction (PTX ISA, add, mul, fma: .f32x2; SM100). */
public record F32x2(Scope k, Operand.Register register) {

  public static F32x2 of(Scope k, F32 first, F32 second) {
    return of(k, first.register(), second.register());
  }

  /** The pair of values that two registers hold now. */
  public static F32x2 of(Scope k, Operand.Register first, Operand.Register second) {
    var both = k.newRegister(PtxType.B64);
    k.emit("mov.b64", both, new Operand.Vector(List.of(first, second)));
    return new F32x2(k, both);
  }

  /** Two of a constant. */
  public static F32x2 constant(Scope k, float value) {
    var both = k.newRegister(PtxType.B64);
    long bits = Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
    k.emit("mov.b64", both, new Operand.Integer(bits << Integer.SIZE | bits));
    return new F32x2(k, both);
  }

  public F32x2 plus(F32x2 other) {
    return operation("add.rn.f32x2", this, other);
  }

  /** The sum, rounded down. */
  public F32x2 plusDown(F32x2 other) {
    return operation("add.rm.f32x2", this, other);
  }

  public F32x2 minus(F32x2 other) {
    return operation("sub.rn.f32x2", this, other);
  }

  public F32x2 times(F32x2 other) {
    return operation("mul.rn.f32x2", this, other);
  }

  /** This · factor + addend, rounded once. */
  public F32x2 fma(F32x2 factor, F32x2 addend) {
    return operation("fma.rn.f32x2", this, factor, addend);
  }

  private static F32x2 operation(String name, F32x2... arguments) {
    var k = arguments[0].k;
    var result = k.newRegister(PtxType.B64);
    var operands = new Operand[arguments.length + 1];
    operands[0] = result;
    for (int i = 0; i < arguments.length; i++) operands[i + 1] = arguments[i].register;
    k.emit(name, operands);
    return new F32x2(k, result);
  }

  /** Both, the first in the low half. */
  public List<F32> singles() {
    return halves(PtxType.F32).stream().map(k::result).toList();
  }

  /** Their bits. */
  public List<Operand.Register> bits() {
    return halves(PtxType.B32);
  }

  private List<Operand.Register> halves(PtxType type) {
    var halves = List.<Operand>of(k.newRegister(type), k.newRegister(type));
    k.emit("mov.b64", new Operand.Vector(halves), register);
    return halves.stream().map(Operand.Register.class::cast).toList();
  }
}
