package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** A truth value that only the GPU knows, or one that tracing already decided. */
public final class Pred {
  private final Scope k;
  private final Optional<Boolean> known;
  private final Optional<Node> node;

  private Pred(Scope k, Optional<Boolean> known, Optional<Node> node) {
    this.k = k;
    this.known = known;
    this.node = node;
  }

  /** One that is known when the kernel is traced. */
  public static Pred known(Scope k, boolean value) {
    return new Pred(k, Optional.of(value), Optional.empty());
  }

  static Pred of(Scope k, Node node) {
    return new Pred(k, Optional.empty(), Optional.of(node));
  }

  /** {@code a < b}, with what changes in the inner loop on one side and what does not on the other. */
  static Pred less(Scope k, Linear a, Linear b) {
    if (a.max() < b.min()) return known(k, true);
    if (a.min() >= b.max()) return known(k, false);
    var difference = a.minus(b);
    int deepest = difference.home(k.root()).depth;
    var inner = difference.where(t -> t.atom().home.depth == deepest);
    var outer = difference.minus(inner).times(-1);
    if (outer.isConstant()) return compare(k, "setp.lt.s32", a, b);
    boolean negative = inner.terms().getFirst().factor() < 0;
    return negative ? compare(k, "setp.lt.s32", outer.times(-1), inner.times(-1))
        : compare(k, "setp.lt.s32", inner, outer);
  }

  static Pred equal(Scope k, Linear a, Linear b) {
    if (a.max() < b.min() || b.max() < a.min()) return known(k, false);
    if (a.equals(b)) return known(k, true);
    return compare(k, "setp.eq.s32", a, b);
  }

  private static Pred compare(Scope k, String instruction, Linear a, Linear b) {
    var recipe = new Node.Recipe(instruction, List.of(new Node.Argument.Sum(a), new Node.Argument.Sum(b)));
    return of(k, k.pure(PtxType.PRED, Region.deeper(a.home(k.root()), b.home(k.root())), 0, 1, 1, recipe));
  }

  public Pred and(Pred other) {
    if (known.isPresent()) return known.get() ? other : this;
    if (other.known.isPresent()) return other.and(this);
    var a = node.orElseThrow();
    var b = other.node.orElseThrow();
    if (a == b) return this;
    var recipe = new Node.Recipe("and.pred", List.of(new Node.Argument.Value(a), new Node.Argument.Value(b)));
    return of(k, k.pure(PtxType.PRED, Region.deeper(a.home, b.home), 0, 1, 1, recipe));
  }

  public Pred or(Pred other) {
    if (known.isPresent()) return known.get() ? this : other;
    if (other.known.isPresent()) return other.or(this);
    var a = node.orElseThrow();
    var b = other.node.orElseThrow();
    if (a == b) return this;
    var recipe = new Node.Recipe("or.pred", List.of(new Node.Argument.Value(a), new Node.Argument.Value(b)));
    return of(k, k.pure(PtxType.PRED, Region.deeper(a.home, b.home), 0, 1, 1, recipe));
  }

  public Pred not() {
    if (known.isPresent()) return known(k, !known.get());
    var a = node.orElseThrow();
    var recipe = new Node.Recipe("not.pred", List.of(new Node.Argument.Value(a)));
    return of(k, k.pure(PtxType.PRED, a.home, 0, 1, 1, recipe));
  }

  I32 select(I32 yes, I32 no) {
    if (known.isPresent()) return known.get() ? yes : no;
    var p = node.orElseThrow();
    var home = Region.deeper(p.home, Region.deeper(yes.value.home(k.root()), no.value.home(k.root())));
    long ones = yes.value.ones() < 0 || no.value.ones() < 0 ? -1 : yes.value.ones() | no.value.ones();
    var recipe = new Node.Recipe("selp.b32",
        List.of(new Node.Argument.Sum(yes.value), new Node.Argument.Sum(no.value), new Node.Argument.Value(p)));
    return new I32(k, Linear.of(k.pure(PtxType.B32, home, Math.min(yes.value.min(), no.value.min()),
        Math.max(yes.value.max(), no.value.max()), ones, recipe)));
  }

  F32 select(F32 yes, F32 no) {
    if (known.isPresent()) return known.get() ? yes : no;
    var p = node.orElseThrow();
    var home = Region.deeper(p.home, Region.deeper(yes.node.home, no.node.home));
    var recipe = new Node.Recipe("selp.f32", List.of(new Node.Argument.Value(yes.node),
        new Node.Argument.Value(no.node), new Node.Argument.Value(p)));
    return new F32(k, k.pure(PtxType.F32, home, 0, 0, -1, recipe));
  }

  /** The truth value, if tracing already knows it. */
  public Optional<Boolean> known() {
    return known;
  }

  /** The guard {@code @p}, or none where the value is known to be true. */
  Optional<Instruction.Guard> guard(boolean negated) {
    return known.isPresent() ? Optional.empty()
        : Optional.of(new Instruction.Guard(register().name(), negated));
  }

  /** A predicate register that holds the value. */
  public Operand.Register register() {
    return node.orElseGet(() -> k.constantPredicate(known.orElseThrow())).register(k);
  }
}
