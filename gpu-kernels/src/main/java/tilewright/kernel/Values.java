package tilewright.kernel;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** The nodes of a trace, numbered in the order in which tracing meets them; equal pure nodes of a region are one. */
final class Values {
  private final Scope k;
  private final Map<Node, CellRead> cellReads = new IdentityHashMap<>();
  private final Map<Node, Induction> inductions = new IdentityHashMap<>();
  private int nodes;

  private record CellRead(Cell cell, int version) {}

  /** A loop's variable: where it starts and how it steps. */
  record Induction(Linear from, int step, Region loop) {}

  private record Key(Node.Recipe recipe, PtxType type) {}

  /** A register that changes. What was read before a change must not be computed from after it. */
  static final class Cell {
    final Operand.Register register;
    private final PtxType type;
    private int version;
    private Node read;

    Cell(Scope k, PtxType type) {
      this.type = type;
      this.register = k.newRegister(type);
    }

    int version() {
      return version;
    }

    void changed() {
      version++;
      read = null;
    }

    /** The present value, as a node of the region that reads it. */
    Node read(Scope k, long min, long max, long ones) {
      if (read == null || read.home != k.region()) read = k.values().cellValue(this, type, min, max, ones);
      return read;
    }
  }

  Values(Scope k) {
    this.k = k;
  }

  Node pure(PtxType type, Region home, long min, long max, long ones, Node.Recipe recipe) {
    return home.values().computeIfAbsent(new Key(recipe, type),
        _ -> new Node(nodes++, type, home, min, max, ones, recipe, null, k.location()));
  }

  /** A value that is computed in the present region, and anew each time that it is asked for. */
  Node deferred(PtxType type, Node.Recipe recipe) {
    return new Node(nodes++, type, k.region(), 0, 0, -1, recipe, null, k.location());
  }

  /** A value that instructions leave in a register. */
  Node held(PtxType type, Region home, long min, long max, long ones, Operand.Register register) {
    return new Node(nodes++, type, home, min, max, ones, null, register, null);
  }

  /** The variable of a loop. */
  Node counter(Linear from, Linear to, Linear step, Region loop, Operand.Register register) {
    long last = Math.max(from.min(), to.max() - 1);
    // Every value is the first plus steps, so their common power of two divides it.
    long unit = Long.lowestOneBit(from.ones() | step.ones());
    var counter = held(PtxType.B32, loop, from.min(), last, Bits.upTo(last) & -unit, register);
    if (step.isConstant()) inductions.put(counter, new Induction(from, Math.toIntExact(step.constant()), loop));
    return counter;
  }

  Optional<Induction> induction(Node node) {
    return Optional.ofNullable(inductions.get(node));
  }

  /** The present value of a register that changes. */
  Node cellValue(Cell cell, PtxType type, long min, long max, long ones) {
    var node = held(type, k.region(), min, max, ones, cell.register);
    cellReads.put(node, new CellRead(cell, cell.version()));
    return node;
  }

  /** @throws TraceException where the value is not there any more */
  void requireLive(Node node) {
    if (!node.home.isOpen()) throw new TraceException("a value is used outside the loop or branch that computes it");
    var read = cellReads.get(node);
    if (read != null && read.version() != read.cell().version()) {
      throw new TraceException("a variable's value is used after the variable changed: read it again");
    }
  }

  /** The node of a sum: what changes in inner regions is added last, so the rest is computed outside them. */
  Node sum(Linear x) {
    if (x.isAtom()) return x.terms().getFirst().atom();
    if (x.isConstant()) {
      var recipe = new Node.Recipe("mov.b32", List.of(Arithmetic.immediate(x.constant())));
      return pure(PtxType.B32, k.root(), x.constant(), x.constant(), x.ones(), recipe);
    }
    var byDepth = x.terms().stream().sorted(Comparator.comparingInt((Linear.Term t) -> t.atom().home.depth)).toList();
    var last = byDepth.getLast();
    boolean constantLast = x.constant() != 0 && x.terms().size() > 1
        && byDepth.getFirst().atom().home.depth == last.atom().home.depth;
    var rest = constantLast ? x.withoutConstant() : x.minus(new Linear(0, List.of(last)));
    return pure(PtxType.B32, x.home(k.root()), x.min(), x.max(), x.ones(), constantLast
        ? new Node.Recipe("add.s32", List.of(new Node.Argument.Sum(rest), Arithmetic.immediate(x.constant())))
        : addition(last, rest));
  }

  private static Node.Recipe addition(Linear.Term term, Linear rest) {
    var atom = new Node.Argument.Value(term.atom());
    long factor = term.factor();
    if (rest.isConstant() && rest.constant() == 0) {
      return Bits.isPowerOfTwo(factor)
          ? new Node.Recipe("shl.b32", List.of(atom, Arithmetic.immediate(Bits.log2(factor))))
          : new Node.Recipe("mul.lo.s32", List.of(atom, Arithmetic.immediate(factor)));
    }
    var sum = new Node.Argument.Sum(rest);
    if (factor == 1) return new Node.Recipe("add.s32", List.of(atom, sum));
    if (factor == -1) return new Node.Recipe("sub.s32", List.of(sum, atom));
    return new Node.Recipe("mad.lo.s32", List.of(atom, Arithmetic.immediate(factor), sum));
  }
}
