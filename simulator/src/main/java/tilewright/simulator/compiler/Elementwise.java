package tilewright.simulator.compiler;

import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** The common shape of instructions that compute one value in each lane: operands of known types, one result. */
final class Elementwise {
  private Elementwise() {}

  /** Emits an operation on what is on the stack, 64 bits wide or not. */
  interface Emit {
    void emit(LaneCode code, boolean wide);
  }

  static boolean wide(PtxType type) {
    return Reg.kindOf(type) == Reg.Kind.LONG;
  }

  /** How the JVM holds an integer of that type. */
  static Class<?> jvm(PtxType type) {
    return wide(type) ? long.class : int.class;
  }

  static String suffix(PtxType type) {
    return LaneCode.isSigned(type) ? "S" : "U";
  }

  /** An instruction whose operands and result are all of one type. */
  static void same(Instruction i, Lowering c, PtxType type, int inputs, Emit emit) {
    of(i, c, type, Collections.nCopies(inputs, type), code -> emit.emit(code, wide(type)));
  }

  /** An instruction with an operand for each type. */
  static void of(Instruction i, Lowering c, PtxType result, List<PtxType> types, Op.LaneBody emit) {
    var operands = c.operands(i, types.size() + 1);
    of(operands.getFirst(), operands.subList(1, operands.size()), c, result, types, emit);
  }

  static void of(Operand to, List<Operand> operands, Lowering c, PtxType result, List<PtxType> types,
      Op.LaneBody emit) {
    of(to, operands, c, result, types, _ -> Flow.mixed(result), emit);
  }

  /** An instruction that moves bits, by the operands from one on. */
  static void moving(Instruction i, Lowering c, PtxType result, List<PtxType> types, int by, Op.LaneBody emit) {
    of(i, c, result, types, sources -> new Flow.Moved(sources.subList(by, sources.size())), emit);
  }

  static void of(Instruction i, Lowering c, PtxType result, List<PtxType> types, Function<List<Source>, Flow> flow,
      Op.LaneBody emit) {
    var operands = c.operands(i, types.size() + 1);
    of(operands.getFirst(), operands.subList(1, operands.size()), c, result, types, flow, emit);
  }

  private static void of(Operand to, List<Operand> operands, Lowering c, PtxType result, List<PtxType> types,
      Function<List<Source>, Flow> flow, Op.LaneBody emit) {
    var sources = operands.stream().map(c::source).toList();
    var register = c.destination(to, result);
    c.lane(sources, List.of(register), flow.apply(sources), code -> {
      for (int k = 0; k < sources.size(); k++) code.push(sources.get(k), types.get(k));
      emit.emit(code);
      code.pop(register, result);
    });
  }
}
