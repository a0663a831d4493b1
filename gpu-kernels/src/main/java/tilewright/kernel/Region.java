package tilewright.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.Statement;

/** A block of the trace: the kernel's body, a loop's body or a branch. Values live where their operands do. */
final class Region {
  final Region parent;
  final int depth;
  final boolean loop;
  private final List<Statement> body = new ArrayList<>();
  private final List<Instruction> increments = new ArrayList<>();
  private final Map<Object, Node> values = new HashMap<>();
  private final Map<Node, Operand.Register> copies = new HashMap<>();
  private Optional<Region> anew;
  private Statement.Location position;
  private boolean open = true;

  Region(Region parent, boolean loop) {
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.depth + 1;
    this.loop = loop;
    this.anew = parent == null ? Optional.empty() : parent.anew;
  }

  /** Has this region, and those that begin in it from now on, compute anew what the launch alone decides. */
  void computeAnew() {
    anew = Optional.of(this);
  }

  /** The innermost region around, or this one, that computes anew what the launch alone decides. */
  Optional<Region> anew() {
    return anew;
  }

  /** The registers of values of the kernel's body that this region has computed anew. */
  Map<Node, Operand.Register> copies() {
    return copies;
  }

  void append(Statement.Location line, Statement statement) {
    if (line != null && !line.equals(position)) body.add(position = line);
    body.add(statement);
  }

  void appendAll(List<Statement> statements) {
    body.addAll(statements);
    position = null;
  }

  /** An instruction for the end of every round of this loop. */
  void increment(Instruction instruction) {
    increments.add(instruction);
  }

  List<Instruction> increments() {
    return increments;
  }

  List<Statement> body() {
    return body;
  }

  Map<Object, Node> values() {
    return values;
  }

  void close() {
    open = false;
  }

  boolean isOpen() {
    return open;
  }

  /** The deeper of two regions of one chain. */
  static Region deeper(Region a, Region b) {
    return a.depth >= b.depth ? a : b;
  }
}
