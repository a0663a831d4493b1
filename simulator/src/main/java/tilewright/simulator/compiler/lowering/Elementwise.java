package tilewright.simulator.compiler.lowering;

import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;

/** The common shape of instructions that compute one value in each lane: operands of known types, one result. */
public final class Elementwise {
  private Elementwise() {}

  /** Emits an operation on what is on the stack, 64 bits wide or not. */
  public interface Emit {
    void emit(LaneCode code, boolean wide);
  }

  public static boolean wide(PtxType type) {
    return Reg.kindOf(type) == Reg.Kind.LONG;
  }

  /** How the JVM holds an integer of that type. */
  public static Class<?> jvm(PtxType type) {
    return wide(type) ? long.class : int.class;
  }

  public static String suffix(PtxType type) {
    return LaneCode.isSigned(type) ? "S" : "U";
  }

  /** An instruction whose operands and result are all of one type. */
  public static void same(Instruction i, Lowering c, PtxType type, int inputs, Emit emit) {
    of(i, c, type, Collections.nCopies(inputs, type), code -> emit.emit(code, wide(type)));
  }

  /** An instruction with an operand for each type. */
  public static void of(Instruction i, Lowering c, PtxType result, List<PtxType> types, Op.LaneBody emit) {
    var operands = c.operands(i, types.size() + 1);
    of(operands.getFirst(), operands.subList(1, operands.size()), c, result, types, emit);
  }

  public static void of(Operand to, List<Operand> operands, Lowering c, PtxType result, List<PtxType> types,
      Op.LaneBody emit) {
    of(to, operands, c, result, types, _ -> Flow.mixed(result), emit);
  }

  /** An instruction that moves bits, by the operands from one on. */
  public static void moving(Instruction i, Lowering c, PtxType result, List<PtxType> types, int by, Op.LaneBody emit) {
    of(i, c, result, types, sources -> new Flow.Moved(sources.subList(by, sources.size())), emit);
  }

  public static void of(Instruction i, Lowering c, PtxType result, List<PtxType> types,
      Function<List<Source>, Flow> flow, Op.LaneBody emit) {
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
