package tilewright.simulator.compiler.memory;

import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.compiler.module.Frame;
import tilewright.simulator.core.CallStack;

/** Memory from the stack (PTX ISA, Stack Manipulation Instructions). */
public final class StackLowering {
  private StackLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    m.requireNone();
    switch (i.opcode()) {
      case "alloca" -> allocate(i, type, c);
      case "stacksave" ->
          c.move(Source.of(c.stackPointer()), c.destination(c.operands(i, 1).getFirst(), type), type);
      default -> c.move(c.source(c.operands(i, 1).getFirst()), c.stackPointer(), type);
    }
  }

  private static void allocate(Instruction i, PtxType type, Lowering c) {
    var operands = c.operands(i, 2, 3);
    int alignment = operands.size() == 3 && operands.get(2) instanceof Operand.Integer(long n) ? (int) n
        : Frame.ALIGNMENT;
    var bytes = c.temp(PtxType.B64);
    c.move(c.source(operands.get(1)), bytes, type);
    var start = c.temp(PtxType.B64);
    var stack = c.stackPointer();
    c.warp(CallStack.class, "allocate", List.of(stack, bytes), List.of(stack, start), new Op.Argument.Lanes(stack),
        new Op.Argument.Lanes(bytes), new Op.Argument.IntValue(alignment), new Op.Argument.Lanes(start),
        new Op.Argument.IntValue(c.site()));
    c.move(Source.of(start), c.destination(operands.getFirst(), type), type);
  }
}
