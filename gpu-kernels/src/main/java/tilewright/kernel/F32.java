package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** An FP32 value that only the GPU knows. Operations round to nearest even and keep subnormals. */
public final class F32 implements Scope.Printable {
  private static final float LOG2_E = 1.44269504f;

  final Scope k;
  final Node node;

  F32(Scope k, Node node) {
    this.k = k;
    this.node = node;
  }

  /** A constant beside this value. */
  public F32 constant(float value) {
    return k.constant(value);
  }

  /** An FP32 number that the launch gives, beside this value. */
  public F32 parameter(String name) {
    return k.scalar(name);
  }

  /** The value, where tracing knows it. */
  public Optional<Float> known() {
    boolean constant = node.recipe != null && node.recipe.name().equals("mov.f32");
    return constant && node.recipe.arguments().getFirst() instanceof Node.Argument.Constant(Operand.Float f)
        ? Optional.of(Float.intBitsToFloat((int) f.bits())) : Optional.empty();
  }

  /** Whether this is computed from integers and constants alone. */
  public boolean isOfIntegers() {
    return node.isOfIntegers();
  }

  /** This value in a register, computed here: a value of its own, which no equal expression is. */
  public F32 settled() {
    return k.result(register());
  }

  public F32 plus(F32 other) {
    return pure(k, "add.rn.f32", this, other);
  }

  public F32 times(F32 other) {
    return pure(k, "mul.rn.f32", this, other);
  }

  /** {@code this · factor + addend}, rounded once. */
  public F32 fma(F32 factor, F32 addend) {
    return pure(k, "fma.rn.f32", this, factor, addend);
  }

  public F32 minus(F32 other) {
    return pure(k, "sub.rn.f32", this, other);
  }

  public F32 times(float factor) {
    return times(k.constant(factor));
  }

  public F32 plus(float addend) {
    return plus(k.constant(addend));
  }

  /** {@code this · factor + addend} with constants, rounded once. */
  public F32 fma(float factor, float addend) {
    return fma(k.constant(factor), k.constant(addend));
  }

  /** A polynomial of this value, each step rounded once; coefficients from the highest power down. */
  public F32 polynomial(float... coefficients) {
    var sum = constant(coefficients[0]);
    for (int i = 1; i < coefficients.length; i++) sum = sum.fma(this, constant(coefficients[i]));
    return sum;
  }

  /** The quotient, rounded once. */
  public F32 dividedBy(F32 divisor) {
    return pure(k, "div.rn.f32", this, divisor);
  }

  /** The quotient by a constant, rounded once; a power of two costs one multiplication. */
  public F32 dividedBy(float divisor) {
    boolean exact = Math.scalb(1f, Math.getExponent(divisor)) == divisor && Float.MIN_NORMAL <= 1 / divisor;
    return exact ? times(1 / divisor) : dividedBy(k.constant(divisor));
  }

  public F32 negated() {
    return pure(k, "neg.f32", this);
  }

  public F32 magnitude() {
    return pure(k, "abs.f32", this);
  }

  /** The larger value; NaN where one of them is. */
  public F32 max(F32 other) {
    return pure(k, "max.NaN.f32", this, other);
  }

  /** The smaller value; NaN where one of them is. */
  public F32 min(F32 other) {
    return pure(k, "min.NaN.f32", this, other);
  }

  /** {@code 1 / this}, off by at most one unit in the last place. */
  public F32 reciprocal() {
    return pure(k, "rcp.approx.ftz.f32", this);
  }

  /** The square root, rounded once. */
  public F32 root() {
    return pure(k, "sqrt.rn.f32", this);
  }

  /** {@code 1 / √this}, off by 2⁻²² of it at most; of what is below 2⁻¹²⁶ infinity. */
  public F32 reciprocalRoot() {
    return pure(k, "rsqrt.approx.ftz.f32", this);
  }

  /**
   * {@code 1 / √this}, off by less than one unit in the last place: the approximation after a step of Newton's method.
   */
  public F32 refinedReciprocalRoot() {
    var root = reciprocalRoot();
    var error = times(root).negated().fma(root, k.constant(1f));
    // Of infinity the approximation is 0, and the step no number.
    return root.times(0.5f).fma(error, root).where(lessThan(k.constant(Float.POSITIVE_INFINITY)), root);
  }

  /** Two to this power, off by at most two units in the last place; what is below 2⁻¹²⁶ becomes 0. */
  public F32 exp2() {
    return pure(k, "ex2.approx.ftz.f32", this);
  }

  /** The base-2 logarithm, off by at most 2⁻²²; of zero and subnormals −∞. */
  public F32 log2() {
    return pure(k, "lg2.approx.ftz.f32", this);
  }

  /** The hyperbolic tangent by the special function units, off by 2⁻¹¹ of it at most. */
  public F32 tanh() {
    return pure(k, "tanh.approx.f32", this);
  }

  /** e to this power by {@link #exp2}: the relative error grows with the magnitude, by 2⁻²⁴ a unit. */
  public F32 exp() {
    return times(LOG2_E).exp2();
  }

  /** This value rounded to another type and back, as if the arithmetic were that type's. */
  public F32 roundedTo(ElementType type) {
    return Conversion.round(k, type, this);
  }

  /** Whether this is less; false for NaN. */
  public Pred lessThan(F32 other) {
    return compare("setp.lt.f32", other);
  }

  /** Whether this is greater; false for NaN. */
  public Pred greaterThan(F32 other) {
    return compare("setp.gt.f32", other);
  }

  /** Whether this is less or equal; false for NaN. */
  public Pred atMost(F32 other) {
    return compare("setp.le.f32", other);
  }

  private Pred compare(String instruction, F32 other) {
    var recipe = new Node.Recipe(instruction, List.of(new Node.Argument.Value(node),
        new Node.Argument.Value(other.node)));
    return Pred.of(k, k.pure(PtxType.PRED, Region.deeper(node.home, other.node.home), 0, 1, 1, recipe));
  }

  /** This value where the predicate holds, {@code otherwise} where it does not. */
  public F32 where(Pred condition, F32 otherwise) {
    return condition.select(this, otherwise);
  }

  /** Whether this is not equal to a constant; true for NaN. */
  public Pred notEqualTo(float other) {
    var recipe = new Node.Recipe("setp.neu.f32",
        List.of(new Node.Argument.Value(node), new Node.Argument.Constant(Operand.Float.of(other))));
    return Pred.of(k, k.pure(PtxType.PRED, node.home, 0, 1, 1, recipe));
  }

  /** A register that holds the value. */
  public Operand.Register register() {
    return node.register(k);
  }

  static F32 pure(Scope k, String instruction, F32... operands) {
    var home = List.of(operands).stream().map(o -> o.node.home).reduce(k.root(), Region::deeper);
    var arguments = List.of(operands).stream().<Node.Argument>map(o -> new Node.Argument.Value(o.node)).toList();
    return new F32(k, k.pure(PtxType.F32, home, 0, 0, -1, new Node.Recipe(instruction, arguments)));
  }

  /** A variable that changes, such as a running sum. */
  public static final class Accumulator {
    private final Scope k;
    private final Values.Cell cell;

    Accumulator(Scope k, float initial) {
      this.k = k;
      this.cell = new Values.Cell(k, PtxType.F32);
      k.emit(Optional.empty(), "mov.f32", cell.register, Operand.Float.of(initial));
    }

    /** Adds a value. */
    public void add(F32 value) {
      k.emit(Optional.empty(), "add.rn.f32", cell.register, cell.register, value.register());
      cell.changed();
    }

    /** Adds {@code a · b}, rounding once. */
    public void fma(F32 a, F32 b) {
      k.emit(Optional.empty(), "fma.rn.f32", cell.register, a.register(), b.register(), cell.register);
      cell.changed();
    }

    /** Replaces the value. */
    public void set(F32 value) {
      k.emit(Optional.empty(), "mov.f32", cell.register, value.register());
      cell.changed();
    }

    /** The present value. */
    public F32 value() {
      return new F32(k, cell.read(k, 0, 0, -1));
    }
  }
}
