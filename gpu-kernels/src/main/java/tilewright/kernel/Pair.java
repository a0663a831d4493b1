package tilewright.kernel;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Two f16 or bf16 numbers in a register, worked on by one instruction in their own arithmetic: every operation rounds
 * to the type (PTX ISA, Half Precision Floating-Point Instructions).
 */
public final class Pair {
  /** {@code a & c | b & ~c} (PTX ISA, lop3). */
  private static final int FIRST_WHERE_THIRD = 0xF0 & 0xAA | 0xCC & ~0xAA & 0xFF;

  private final Scope k;
  private final ElementType type;
  private final Operand.Register register;

  Pair(Scope k, ElementType type, Operand.Register register) {
    if (type != ElementType.F16 && type != ElementType.BF16) {
      throw new TraceException("no arithmetic on pairs of " + type.text() + ": f16 or bf16");
    }
    this.k = k;
    this.type = type;
    this.register = register;
  }

  Operand.Register register() {
    return register;
  }

  /** Two of a number, rounded to the type. */
  public Pair constant(double value) {
    return bits((int) type.fromDouble(value, Rounding.NEAREST_EVEN) & 0xFFFF);
  }

  private Pair bits(int half) {
    var both = k.newRegister(PtxType.B32);
    k.emit("mov.b32", both, new Operand.Integer(half | half << 16));
    return new Pair(k, type, both);
  }

  /** SM80 adds pairs of bf16 only as 1 · this + other, which rounds alike. */
  public Pair plus(Pair other) {
    return type == ElementType.F16 ? operation("add.rn", this, other) : operation("fma.rn", this, constant(1), other);
  }

  /** SM80 multiplies pairs of bf16 only as this · other - 0, which rounds alike and keeps the sign of a zero. */
  public Pair times(Pair other) {
    return type == ElementType.F16 ? operation("mul.rn", this, other) : operation("fma.rn", this, other, bits(0x8000));
  }

  /** The larger numbers; NaN where one is. */
  public Pair max(Pair other) {
    return operation("max.NaN", this, other);
  }

  /** The smaller numbers; NaN where one is. */
  public Pair min(Pair other) {
    return operation("min.NaN", this, other);
  }

  /** {@code this · factor + addend}, rounded once. */
  public Pair fma(Pair factor, Pair addend) {
    return operation("fma.rn", this, factor, addend);
  }

  public Pair negated() {
    return operation("neg", this);
  }

  public Pair magnitude() {
    return operation("abs", this);
  }

  /** e to these powers, by way of FP32, as CUDA's {@code h2exp}. */
  public Pair exp() {
    return inSingles(F32::exp);
  }

  /** {@code 1 / this}, by way of FP32, as CUDA's {@code h2rcp}. */
  public Pair reciprocal() {
    return inSingles(F32::reciprocal);
  }

  private Pair inSingles(UnaryOperator<F32> function) {
    var results = Conversion.unpack(k, type, register).stream().map(function).toList();
    return new Pair(k, type, Conversion.pack(k, type, results.get(0), results.get(1)));
  }

  /** This pair's numbers where those of {@code a} are {@code b}'s at least, else {@code otherwise}'s, as for NaN. */
  public Pair whereAtLeast(Pair a, Pair b, Pair otherwise) {
    if (type != ElementType.F16) throw new TraceException("no comparison of pairs of " + type.text() + " on SM80: f16");
    var mask = k.newRegister(PtxType.B32);
    k.emit("set.ge.u32." + type.text() + "x2", mask, a.register, b.register);
    var result = k.newRegister(PtxType.B32);
    k.emit("lop3.b32", result, register, otherwise.register, mask, new Operand.Integer(FIRST_WHERE_THIRD));
    return new Pair(k, type, result);
  }

  private Pair operation(String name, Pair... arguments) {
    var result = k.newRegister(PtxType.B32);
    var operands = Stream.concat(Stream.of(result), Stream.of(arguments).map(Pair::register)).toArray(Operand[]::new);
    k.emit(name + "." + type.text() + "x2", operands);
    return new Pair(k, type, result);
  }

  /** Two sums that change together, 0 at first. */
  public static final class Accumulator {
    private final Pair sum;

    /** Sums beside others of the type. */
    public Accumulator(Scope k, ElementType type) {
      sum = new Pair(k, type, k.newRegister(PtxType.B32));
      k.emit("mov.b32", sum.register, new Operand.Integer(0));
    }

    /** Adds {@code a · b}, rounded once. */
    public void fma(Pair a, Pair b) {
      sum.k.emit("fma.rn." + sum.type.text() + "x2", sum.register, a.register, b.register, sum.register);
    }

    /** The present sums, to be used before they change again. */
    public Pair value() {
      return sum;
    }
  }

  /** The number that a pair of twice the same holds, as an element of a tensor. */
  public Vector single() {
    var low = k.newRegister(PtxType.B16);
    k.emit("mov.b32", new Operand.Vector(List.of(low, k.newRegister(PtxType.B16))), register);
    return new Vector(k, type, 1, List.of(low));
  }

  /** Neighbours as one access moves them. */
  public static Vector join(List<Pair> pairs) {
    var first = pairs.getFirst();
    return new Vector(first.k, first.type, 2 * pairs.size(), pairs.stream().map(Pair::register).toList());
  }
}
