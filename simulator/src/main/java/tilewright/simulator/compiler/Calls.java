package tilewright.simulator.compiler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.Statement;

/** Which functions a kernel calls. Calls are inlined, so recursion is not supported. */
final class Calls {
  private Calls() {}

  /** The parts of a {@code call} instruction. */
  record Call(List<Operand> results, String function, List<Operand> arguments) {}

  static Call of(Instruction i) {
    var operands = new ArrayList<>(i.operands());
    List<Operand> results = List.of();
    if (!operands.isEmpty() && operands.getFirst() instanceof Operand.Group(var elements)) {
      results = elements;
      operands.removeFirst();
    }
    if (operands.isEmpty() || !(operands.getFirst() instanceof Operand.Symbol(var name))) {
      throw new Unsupported("calls through a register are not supported");
    }
    List<Operand> arguments = operands.size() > 1 && operands.get(1) instanceof Operand.Group(var elements) ? elements
        : List.of();
    return new Call(results, name, arguments);
  }

  /** The function of that name that has a body. */
  static Optional<Function> definition(PtxModule module, String name) {
    return module.functions().stream().filter(f -> f.name().equals(name) && f.body().isPresent()).findFirst();
  }

  /** The bodies of a kernel and of all it calls. */
  static List<List<Statement>> bodies(PtxModule module, Function kernel) {
    Map<String, List<Statement>> found = new LinkedHashMap<>();
    var work = new ArrayDeque<Function>(List.of(kernel));
    while (!work.isEmpty()) {
      var f = work.pop();
      if (found.putIfAbsent(f.name(), f.body().orElse(List.of())) == null) {
        collect(module, f.body().orElse(List.of()), work);
      }
    }
    return List.copyOf(found.values());
  }

  private static void collect(PtxModule module, List<Statement> body, ArrayDeque<Function> work) {
    for (var s : body) {
      if (s instanceof Statement.Block(var inner)) collect(module, inner, work);
      if (s instanceof Instruction i && i.opcode().equals("call")) {
        for (var o : i.operands()) {
          if (o instanceof Operand.Symbol(var name)) definition(module, name).ifPresent(work::push);
        }
      }
    }
  }
}
