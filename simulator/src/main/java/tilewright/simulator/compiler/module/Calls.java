package tilewright.simulator.compiler.module;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.simulator.compiler.code.Unsupported;

/**
 * The parts of a {@code call} instruction.
 *
 * @param callee a function's name, or the register that holds a function's address
 * @param prototype what a call through a register names as its prototype or its list of targets
 */
public record Calls(List<Operand> results, Operand callee, List<Operand> arguments, Optional<String> prototype) {

  public static Calls of(Instruction i) {
    var operands = new ArrayList<>(i.operands());
    List<Operand> results = List.of();
    if (!operands.isEmpty() && operands.getFirst() instanceof Operand.Group(var elements)) {
      results = elements;
      operands.removeFirst();
    }
    if (operands.isEmpty()) throw new Unsupported("the call names no function");
    var callee = operands.removeFirst();
    List<Operand> arguments = List.of();
    if (!operands.isEmpty() && operands.getFirst() instanceof Operand.Group(var elements)) {
      arguments = elements;
      operands.removeFirst();
    }
    Optional<String> prototype = operands.isEmpty() || !(operands.getFirst() instanceof Operand.Symbol(var name))
        ? Optional.empty() : Optional.of(name);
    return new Calls(results, callee, arguments, prototype);
  }

  /** The function that is called by its name; empty for a call through a register. */
  public Optional<String> function() {
    return callee instanceof Operand.Symbol(var name) ? Optional.of(name) : Optional.empty();
  }
}
