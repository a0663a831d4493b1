package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** A single-precision value that only the GPU knows. Operations round to nearest even and keep subnormals. */
public final class F32 {
  final Scope k;
  final Node node;

  F32(Scope k, Node node) {
    this.k = k;
    this.node = node;
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
    private final Cell cell;

    Accumulator(Scope k) {
      this.k = k;
      this.cell = new Cell(k, PtxType.F32);
      k.emit(Optional.empty(), "mov.f32", cell.register, Operand.Float.of(0f));
    }

    /** Adds {@code a · b}, rounding once. */
    public void fma(F32 a, F32 b) {
      k.emit(Optional.empty(), "fma.rn.f32", cell.register, a.register(), b.register(), cell.register);
      cell.changed();
    }

    /** The present value. */
    public F32 value() {
      return new F32(k, cell.read(k, 0, 0, -1));
    }
  }
}
