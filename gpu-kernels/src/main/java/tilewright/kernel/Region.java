package tilewright.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.ptx.Statement;

/** A block of the trace: the kernel's body, a loop's body or a branch. Values live where their operands do. */
final class Region {
  final Region parent;
  final int depth;
  final boolean loop;
  private final List<Statement> body = new ArrayList<>();
  private final List<Instruction> increments = new ArrayList<>();
  private final Map<Object, Node> values = new HashMap<>();
  private Statement.Location position;
  private boolean open = true;

  Region(Region parent, boolean loop) {
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.depth + 1;
    this.loop = loop;
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
