package tilewright.simulator.compiler.function;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.module.Calls;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.DeviceHeap;
import tilewright.simulator.memory.Console;
import tilewright.simulator.memory.Moves;

/**
 * Calls of the functions that the CUDA runtime brings: vprintf, __assertfail, malloc, free and
 * cudaGraphSetConditional.
 */
final class StubLowering {
  private StubLowering() {}

  static void lower(String name, Calls call, Lowering c) {
    switch (name) {
      case "vprintf" -> print(call, c);
      case "__assertfail", "__assert_fail" -> fail(call, c);
      case "malloc" -> allocate(call, c);
      case "free" -> release(call, c);
      case "cudaGraphSetConditional" -> setCondition(call, c);
      default -> throw new Unsupported("function " + name + " has no body here");
    }
  }

  private static void requireCounts(Calls call, int arguments, int mostResults) {
    if (call.arguments().size() != arguments || call.results().size() > mostResults) {
      throw new Unsupported("the runtime's function has other parameters");
    }
  }

  private static void print(Calls call, Lowering c) {
    requireCounts(call, 2, 1);
    var format = argument(call, 0, PtxType.B64, c);
    var values = argument(call, 1, PtxType.B64, c);
    var printed = c.temp(PtxType.B32);
    c.warp(Console.class, "print", List.of(format, values), List.of(printed), new Op.Argument.Lanes(format),
        new Op.Argument.Lanes(values), new Op.Argument.Lanes(printed), new Op.Argument.IntValue(c.site()));
    result(call, printed, PtxType.B32, c);
  }

  private static void fail(Calls call, Lowering c) {
    requireCounts(call, 5, 0);
    var message = argument(call, 0, PtxType.B64, c);
    var file = argument(call, 1, PtxType.B64, c);
    var line = argument(call, 2, PtxType.B32, c);
    var function = argument(call, 3, PtxType.B64, c);
    c.warp(Console.class, "assertionFailed", List.of(message, file, line, function), List.of(),
        new Op.Argument.Lanes(message), new Op.Argument.Lanes(file), new Op.Argument.Lanes(line),
        new Op.Argument.Lanes(function), new Op.Argument.IntValue(c.site()));
  }

  private static void allocate(Calls call, Lowering c) {
    requireCounts(call, 1, 1);
    var bytes = argument(call, 0, PtxType.B64, c);
    var address = c.temp(PtxType.B64);
    c.warp(DeviceHeap.class, "allocate", List.of(bytes), List.of(address), new Op.Argument.Lanes(bytes),
        new Op.Argument.Lanes(address));
    result(call, address, PtxType.B64, c);
  }

  private static void release(Calls call, Lowering c) {
    requireCounts(call, 1, 0);
    var address = argument(call, 0, PtxType.B64, c);
    c.warp(DeviceHeap.class, "release", List.of(address), List.of(), new Op.Argument.Lanes(address),
        new Op.Argument.IntValue(c.site()));
  }

  /** A condition's handle is the address of its value. */
  private static void setCondition(Calls call, Lowering c) {
    requireCounts(call, 2, 0);
    var handle = argument(call, 0, PtxType.B64, c);
    var value = argument(call, 1, PtxType.B32, c);
    Addressing.resolve(new Addressing.Place(handle, 0, "global"), PtxType.B32.bytes(), Access.WRITE, c);
    c.warp(Moves.class, "store32", List.of(value), List.of(), new Op.Argument.IntValue(0),
        new Op.Argument.Lanes(value));
  }

  private static boolean isVariable(Operand operand, Lowering c) {
    return operand instanceof Operand.Symbol(var name) && !c.scope().hasRegister(name);
  }

  private static Reg argument(Calls call, int index, PtxType type, Lowering c) {
    var actual = call.arguments().get(index);
    if (!isVariable(actual, c)) return c.inRegister(actual, type);
    var value = c.temp(type);
    place(actual, type, Access.READ, c);
    c.warp(Moves.class, "load" + type.bits(), List.of(), List.of(value), new Op.Argument.IntValue(0),
        new Op.Argument.Lanes(value));
    return value;
  }

  private static void result(Calls call, Reg value, PtxType type, Lowering c) {
    if (call.results().isEmpty()) return;
    var actual = call.results().getFirst();
    if (!isVariable(actual, c)) {
      c.move(Source.of(value), c.destination(actual, type), type);
      return;
    }
    place(actual, type, Access.WRITE, c);
    c.warp(Moves.class, "store" + type.bits(), List.of(value), List.of(), new Op.Argument.IntValue(0),
        new Op.Argument.Lanes(value));
  }

  private static void place(Operand variable, PtxType type, int access, Lowering c) {
    var place = Addressing.of(new Operand.Address(variable, 0), Optional.of(StateSpace.PARAM), c);
    Addressing.resolve(place, type.bytes(), access, c);
  }
}
