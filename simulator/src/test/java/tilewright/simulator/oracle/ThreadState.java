package tilewright.simulator.oracle;

import java.util.HashMap;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/** One thread of the interpreter: its registers by name and where it stands. */
final class ThreadState {
  final int index;
  int next;
  boolean finished;
  private final Map<String, Long> values = new HashMap<>();
  private final Map<String, Integer> widths = new HashMap<>();

  ThreadState(int index) {
    this.index = index;
  }

  void declare(Statement.Registers registers) {
    int bits = registers.type() == PtxType.PRED ? 1 : registers.type().bits();
    if (registers.count() == 0) widths.put(registers.name(), bits);
    for (int i = 0; i < registers.count(); i++) widths.put(registers.name() + i, bits);
  }

  /** A parameter of a call, written like a register. */
  void declare(String name, PtxType type) {
    widths.put(name, type.bits());
  }

  long read(Operand operand) {
    return switch (operand) {
      case Operand.Register(var name) -> get(name);
      case Operand.Integer(long value) -> value;
      case Operand.Float(var _, long bits) -> bits;
      case Operand.Not(var inner) -> read(inner) ^ 1;
      case Operand.Special(var name) -> special(name);
      default -> throw new IllegalArgumentException("cannot read " + operand);
    };
  }

  private long special(String name) {
    return switch (name) {
      case "%tid.x" -> index;
      case "%laneid" -> index % Interpreter.WARP;
      default -> throw new IllegalArgumentException("no special register " + name);
    };
  }

  long get(String name) {
    var value = values.get(name);
    if (value == null) throw new IllegalStateException(name + " is read before it is written");
    return value;
  }

  int width(String name) {
    return widths.get(name);
  }

  void write(Operand operand, long value) {
    if (operand instanceof Operand.Register(var name)) set(name, value);
    else if (!(operand instanceof Operand.Sink)) throw new IllegalArgumentException("cannot write " + operand);
  }

  void set(String name, long value) {
    int width = widths.get(name);
    values.put(name, width == 64 ? value : value & (1L << width) - 1);
  }

  boolean executes(Instruction instruction) {
    return instruction.guard().map(g -> get(g.predicate()) != 0 != g.negated()).orElse(true);
  }
}
