package tilewright.simulator.compiler.function;

import java.util.List;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Branches and ends. */
final class ControlLowering {
  private ControlLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c, Map<String, List<String>> tables) {
    switch (i.opcode()) {
      case "bra" -> {
        m.take("uni");
        m.requireNone();
        var target = c.scope().label(symbol(c.operands(i, 1).getFirst()));
        c.end(c.guard().<Terminator>map(g -> new Terminator.Branch(g, target))
            .orElseGet(() -> new Terminator.Goto(target)));
      }
      case "brx" -> {
        m.require("idx");
        m.take("uni");
        m.requireNone();
        if (c.guard().isPresent()) throw new Unsupported("a guarded brx.idx");
        var operands = c.operands(i, 2);
        var labels = tables.get(symbol(operands.get(1)));
        if (labels == null) {
          throw new Unsupported("branch table " + symbol(operands.get(1)) + " is not declared before its use");
        }
        var index = c.inRegister(operands.get(0), PtxType.B32);
        c.end(new Terminator.Indexed(index, labels.stream().map(c.scope()::label).toList()));
      }
      default -> {
        m.take("uni");
        m.requireNone();
        var end = i.opcode().equals("ret") ? c.returning() : new Terminator.Exit();
        if (c.guard().isPresent()) {
          var after = c.freshLabel("exit");
          c.end(new Terminator.Branch(c.guard().get().inverse(), after));
          c.end(end);
          c.label(after);
        } else {
          c.end(end);
        }
      }
    }
  }

  private static String symbol(Operand operand) {
    if (operand instanceof Operand.Symbol(var name)) return name;
    throw new Unsupported("operand " + operand.text() + " is not a label");
  }
}
