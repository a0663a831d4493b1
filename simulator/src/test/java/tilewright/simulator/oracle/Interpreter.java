package tilewright.simulator.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/**
 * Executes a kernel thread by thread, one statement at a time, with nothing but {@link Oracle} for arithmetic. A thread
 * runs until an instruction that needs others; such an instruction happens when all that it needs have arrived.
 */
final class Interpreter {
  static final int WARP = 32;
  private static final int STEPS = 200_000;
  private static final long SHARED = 1L << 20;
  private final PtxModule module;
  private final ByteMemory memory = new ByteMemory();
  private final Map<String, Long> arguments = new HashMap<>();

  Interpreter(PtxModule module) {
    this.module = module;
  }

  /** Makes a buffer the value of a parameter. */
  void argument(String name, byte[] buffer) {
    long base = (long) (arguments.size() + 1) << 32;
    arguments.put(name, base);
    memory.map(base, buffer);
  }

  /** Runs one block of so many threads, a multiple of a warp. */
  void run(String entry, int threads) {
    var code = new Code(module.entry(entry).orElseThrow().body().orElseThrow());
    var shared = new byte[code.sharedBytes];
    // What the simulator leaves in memory that nobody wrote.
    Arrays.fill(shared, (byte) 0xCD);
    memory.map(SHARED, shared);
    var all = IntStream.range(0, threads).mapToObj(ThreadState::new).toList();
    for (int step = 0; all.stream().anyMatch(t -> !t.finished); step++) {
      if (step > STEPS) throw new IllegalStateException("the program does not end");
      for (var thread : all) advance(code, thread);
      for (int w = 0; w < threads; w += WARP) new Collective(code, all.subList(w, w + WARP)).meet();
      if (all.stream().noneMatch(t -> t.finished) && all.stream().allMatch(t -> code.waits(t, "bar"))) {
        all.forEach(t -> t.next++);
      }
    }
  }

  /** Statements in one row, labels by their place in it. */
  static final class Code {
    final List<Statement> statements = new ArrayList<>();
    final Map<String, Integer> labels = new HashMap<>();
    private final Map<String, Long> shared = new HashMap<>();
    private int sharedBytes;

    Code(List<Statement> body) {
      flatten(body);
    }

    private void flatten(List<Statement> body) {
      for (var statement : body) {
        switch (statement) {
          case Statement.Block block -> flatten(block.body());
          case Statement.Label label -> labels.put(label.name(), statements.size());
          case Variable v when v.space() == tilewright.ptx.StateSpace.SHARED -> {
            shared.put(v.name(), SHARED + sharedBytes);
            sharedBytes += (int) v.bytes() + 15 & -16;
          }
          default -> statements.add(statement);
        }
      }
    }

    Instruction at(ThreadState thread) {
      return (Instruction) statements.get(thread.next);
    }

    boolean waits(ThreadState thread, String opcode) {
      return !thread.finished && statements.get(thread.next) instanceof Instruction i && i.opcode().equals(opcode);
    }
  }

  /** Runs a thread to its end or to an instruction that needs other threads. */
  private void advance(Code code, ThreadState thread) {
    for (int step = 0; !thread.finished; step++) {
      if (step > STEPS) throw new IllegalStateException("a thread does not end");
      if (thread.next == code.statements.size()) {
        thread.finished = true;
        return;
      }
      switch (code.statements.get(thread.next)) {
        case Statement.Registers registers -> {
          thread.declare(registers);
          thread.next++;
        }
        case Variable parameter -> {
          thread.declare(parameter.name(), parameter.type());
          thread.next++;
        }
        case Instruction i -> {
          if (List.of("bar", "shfl", "vote").contains(i.opcode())) return;
          thread.next++;
          if (thread.executes(i)) execute(code, thread, i);
        }
        default -> thread.next++;
      }
    }
  }

  private void execute(Code code, ThreadState thread, Instruction i) {
    var operands = i.operands();
    switch (i.opcode()) {
      case "bra" -> thread.next = code.labels.get(((Operand.Symbol) operands.getFirst()).name());
      case "ret", "exit" -> thread.finished = true;
      case "ld" -> load(code, thread, i);
      case "st" -> store(code, thread, i);
      case "call" -> call(thread, operands);
      case "mov" -> move(code, thread, i);
      case "setp" -> setp(thread, i);
      default -> {
        long[] inputs = operands.stream().skip(1).mapToLong(thread::read).toArray();
        thread.write(operands.getFirst(), Oracle.apply(i.opcode(), i.modifiers(), inputs));
      }
    }
  }

  /** A comparison, joined with a predicate if there is one; the second destination gets the opposite comparison. */
  private static void setp(ThreadState thread, Instruction i) {
    var operands = i.operands();
    long[] inputs = operands.stream().skip(1).mapToLong(thread::read).toArray();
    long holds = Oracle.apply("setp", i.modifiers(), inputs);
    if (operands.getFirst() instanceof Operand.Pair(var yes, var no)) {
      thread.write(yes, join(i, holds, inputs));
      thread.write(no, join(i, holds ^ 1, inputs));
    } else {
      thread.write(operands.getFirst(), join(i, holds, inputs));
    }
  }

  private static long join(Instruction i, long holds, long[] inputs) {
    if (inputs.length == 2) return holds;
    return i.has("and") ? holds & inputs[2] : i.has("or") ? holds | inputs[2] : holds ^ inputs[2];
  }

  private static void move(Code code, ThreadState thread, Instruction i) {
    var to = i.operands().get(0);
    var from = i.operands().get(1);
    int bits = i.type().orElseThrow().bits();
    if (to instanceof Operand.Vector(var parts)) {
      long value = thread.read(from);
      for (int k = 0; k < parts.size(); k++) thread.write(parts.get(k), value >>> k * bits / parts.size());
    } else if (from instanceof Operand.Vector(var parts)) {
      long value = 0;
      int each = bits / parts.size();
      for (int k = 0; k < parts.size(); k++) value |= (thread.read(parts.get(k)) & (1L << each) - 1) << k * each;
      thread.write(to, value);
    } else {
      thread.write(to, from instanceof Operand.Symbol(var name) ? code.shared.get(name) : thread.read(from));
    }
  }

  private static List<Operand> elements(Operand operand) {
    return operand instanceof Operand.Vector(var elements) ? elements : List.of(operand);
  }

  private void load(Code code, ThreadState thread, Instruction i) {
    var type = i.type().orElseThrow();
    var address = (Operand.Address) i.operands().get(1);
    if (i.has("param") && address.base() instanceof Operand.Symbol(var name)) {
      thread.write(i.operands().getFirst(), arguments.containsKey(name) ? arguments.get(name) : thread.get(name));
      return;
    }
    long at = address(code, thread, address);
    for (var element : elements(i.operands().getFirst())) {
      long value = memory.load(at, type.bytes());
      boolean extend = ConversionOracle.isSigned(type);
      thread.write(element, extend ? ConversionOracle.integer(type, value).longValue() : value);
      at += type.bytes();
    }
  }

  private void store(Code code, ThreadState thread, Instruction i) {
    var type = i.type().orElseThrow();
    var address = (Operand.Address) i.operands().getFirst();
    if (i.has("param") && address.base() instanceof Operand.Symbol(var name)) {
      thread.set(name, thread.read(i.operands().get(1)));
      return;
    }
    long at = address(code, thread, address);
    for (var element : elements(i.operands().get(1))) {
      memory.store(at, type.bytes(), thread.read(element));
      at += type.bytes();
    }
  }

  private static long address(Code code, ThreadState thread, Operand.Address address) {
    return address.offset() + (address.base() instanceof Operand.Symbol(var name) ? code.shared.get(name)
        : thread.read(address.base()));
  }

  /** {@code call (r), f, (a, b)} of a function without barriers: runs to its end at once. */
  private void call(ThreadState caller, List<Operand> operands) {
    var results = ((Operand.Group) operands.get(0)).elements();
    var name = ((Operand.Symbol) operands.get(1)).name();
    var inputs = ((Operand.Group) operands.get(2)).elements();
    Function callee = module.functions().stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
    var thread = new ThreadState(caller.index);
    for (int k = 0; k < inputs.size(); k++) {
      declare(thread, callee.parameters().get(k));
      thread.set(callee.parameters().get(k).name(), caller.get(((Operand.Symbol) inputs.get(k)).name()));
    }
    callee.results().forEach(r -> declare(thread, r));
    advance(new Code(callee.body().orElseThrow()), thread);
    for (int k = 0; k < results.size(); k++) {
      caller.set(((Operand.Symbol) results.get(k)).name(), thread.get(callee.results().get(k).name()));
    }
  }

  private static void declare(ThreadState thread, Variable parameter) {
    thread.declare(parameter.name(), parameter.type() == PtxType.PRED ? PtxType.B32 : parameter.type());
  }
}
