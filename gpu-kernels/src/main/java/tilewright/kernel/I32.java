package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** A 32-bit signed integer that only the GPU knows. Coordinates and extents stay below 2³⁰, so sums do not wrap. */
public final class I32 implements Scope.Printable {
  final Scope k;
  final Linear value;

  I32(Scope k, Linear value) {
    this.k = k;
    this.value = value;
  }

  /** A constant beside this value. */
  public I32 constant(int value) {
    return k.constant(value);
  }

  /** Whether this is computed from one of these values, by way of what the trace has computed in expressions. */
  public boolean dependsOn(List<I32> values) {
    var atoms = values.stream().flatMap(v -> v.value.terms().stream()).map(Linear.Term::atom).toList();
    return value.terms().stream().anyMatch(term -> term.atom().dependsOn(atoms));
  }

  /** A tensor in global memory beside this value. */
  public GlobalTensor global(TensorSpec spec) {
    return k.global(spec);
  }

  /** An integer in 0…2³⁰ that the launch gives, beside this value. */
  public I32 parameter(String name) {
    // Settled: sums of a parameter and many constants would all be computed ahead of the loops that compare with them.
    return k.integer(name).settled();
  }

  public I32 plus(I32 other) {
    return new I32(k, value.plus(other.value));
  }

  public I32 plus(int other) {
    return new I32(k, value.plus(other));
  }

  public I32 minus(I32 other) {
    return new I32(k, value.minus(other.value));
  }

  public I32 times(int factor) {
    return new I32(k, value.times(factor));
  }

  /** The product of two symbolic values. */
  public I32 times(I32 factor) {
    if (factor.value.isConstant()) return times(Math.toIntExact(factor.value.constant()));
    if (value.isConstant()) return factor.times(Math.toIntExact(value.constant()));
    return new I32(k, Arithmetic.binary(k, "mul.lo.s32", value, factor.value, Long.MIN_VALUE / 4, Long.MAX_VALUE / 4,
        -1));
  }

  /** The quotient of a non-negative value, rounded down. */
  public I32 dividedBy(int divisor) {
    return new I32(k, Arithmetic.divide(k, value, divisor));
  }

  /** The quotient of non-negative values, rounded down. */
  public I32 dividedBy(I32 divisor) {
    if (divisor.value.isConstant()) return dividedBy(Math.toIntExact(divisor.value.constant()));
    return new I32(k, Arithmetic.binary(k, "div.u32", value, divisor.value, 0, value.max(), -1));
  }

  /** The remainder of a non-negative value. */
  public I32 modulo(int divisor) {
    return new I32(k, Arithmetic.remainder(k, value, divisor));
  }

  /** The remainder of non-negative values. */
  public I32 modulo(I32 divisor) {
    if (divisor.value.isConstant()) return modulo(Math.toIntExact(divisor.value.constant()));
    return new I32(k, Arithmetic.binary(k, "rem.u32", value, divisor.value, 0, divisor.value.max(), -1));
  }

  /** The quotient rounded up. */
  public I32 ceilDiv(int divisor) {
    return plus(divisor - 1).dividedBy(divisor);
  }

  /** Bitwise and with a constant mask. */
  public I32 and(int mask) {
    return new I32(k, Arithmetic.and(k, value, mask));
  }

  /** Bitwise exclusive or. */
  public I32 xor(I32 other) {
    return new I32(k, Arithmetic.xor(k, value, other.value));
  }

  public I32 min(int bound) {
    return min(k.constant(bound));
  }

  public I32 min(I32 other) {
    return new I32(k, Arithmetic.minimum(k, value, other.value));
  }

  public I32 max(int bound) {
    return new I32(k, Arithmetic.maximum(k, value, Linear.of(bound)));
  }

  public I32 max(I32 other) {
    return new I32(k, Arithmetic.maximum(k, value, other.value));
  }

  /** This value where it lies in 0 … {@code count} − 1, else the last of these. */
  public I32 orLast(I32 count) {
    if (value.min() >= 0 && value.max() < count.value.min()) return this;
    // As a number without a sign, what is negative is larger than any count.
    return new I32(k, Arithmetic.binary(k, "min.u32", value, count.value.plus(-1), 0, count.value.max() - 1, -1));
  }

  /** This value in a register of its own: what is computed from it is computed here, and shares the register. */
  public I32 settled() {
    return value.isConstant() ? this : k.result(register(), value.min(), value.max());
  }

  /** Whether tracing knows the number. */
  public boolean isConstant() {
    return value.isConstant();
  }

  /** Whether tracing knows that it is even. */
  public boolean isEven() {
    return value.isEven();
  }

  public Pred lessThan(I32 other) {
    return Pred.less(k, value, other.value);
  }

  public Pred lessThan(int bound) {
    return Pred.less(k, value, Linear.of(bound));
  }

  public Pred atLeast(int bound) {
    return Pred.less(k, Linear.of(bound - 1L), value);
  }

  public Pred equalTo(I32 other) {
    return Pred.equal(k, value, other.value);
  }

  public Pred equalTo(int other) {
    return Pred.equal(k, value, Linear.of(other));
  }

  /** This value where the predicate holds, {@code otherwise} where it does not. */
  public I32 where(Pred condition, int otherwise) {
    return condition.select(this, k.constant(otherwise));
  }

  /** This value where the predicate holds, {@code otherwise} where it does not. */
  public I32 where(Pred condition, I32 otherwise) {
    return condition.select(this, otherwise);
  }

  /** The nearest FP32 number. */
  public F32 toF32() {
    var recipe = new Node.Recipe("cvt.rn.f32.s32", List.of(new Node.Argument.Sum(value)));
    return new F32(k, k.pure(PtxType.F32, value.home(k.root()), 0, 0, -1, recipe));
  }

  /** A register or an immediate that holds the value. */
  public Operand operand() {
    return k.materialize(value);
  }

  /** A register that holds the value. */
  public Operand.Register register() {
    return k.values().sum(value).register(k);
  }

  /** An integer variable that changes as the kernel runs, such as the stage of a ring. */
  public static final class Variable {
    private final Scope k;
    private final Values.Cell cell;
    private final int max;

    Variable(Scope k, I32 initial, int max) {
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
}
