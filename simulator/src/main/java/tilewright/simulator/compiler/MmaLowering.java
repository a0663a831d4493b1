package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.TensorCores;

/** {@code mma.sync} of 16-bit floating-point inputs. */
final class MmaLowering {
  private MmaLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    m.require("aligned");
    boolean deep = m.take("m16n8k16");
    if (!deep && !m.take("m16n8k8")) throw new Unsupported("only m16n8k16 and m16n8k8 are supported");
    m.require("row");
    m.require("col");
    var d = m.type();
    var a = m.type();
    var b = m.type();
    var acc = m.type();
    m.requireNone();
    boolean half = d == PtxType.F16;
    if (a != b || a != PtxType.F16 && a != PtxType.BF16 || d != acc || !half && d != PtxType.F32
        || half && a == PtxType.BF16) {
      throw new Unsupported("mma of " + a.text() + " and " + b.text() + " to " + d.text() + " is not supported");
    }
    var operands = c.operands(i, 4);
    var aRegs = inputs(operands.get(1), deep ? 4 : 2, PtxType.B32, c);
    var bRegs = inputs(operands.get(2), deep ? 2 : 1, PtxType.B32, c);
    var type = half ? PtxType.B32 : PtxType.F32;
    int accumulators = half ? 2 : 4;
    var cRegs = inputs(operands.get(3), accumulators, type, c);
    var dRegs = new ArrayList<Reg>();
    var landings = new ArrayList<Reg>();
    for (var e : elements(operands.getFirst(), accumulators)) {
      var to = c.destination(e, type);
      dRegs.add(to);
      landings.add(to.kind == Reg.kindOf(type) ? to : c.temp(type));
    }
    c.together(Source.of(-1));
    var arguments = new ArrayList<Op.Argument>();
    var reads = new ArrayList<Reg>();
    for (var group : List.of(aRegs, bRegs, cRegs)) {
      for (var r : group) {
        arguments.add(new Op.Argument.Lanes(r));
        reads.add(r);
      }
    }
    for (var r : landings) arguments.add(new Op.Argument.Lanes(r));
    arguments.add(new Op.Argument.IntValue(a == PtxType.BF16 ? 1 : 0));
    c.warp(TensorCores.class, "m16n8k" + (deep ? 16 : 8), arguments, new Op.Result.Nothing(), reads, landings);
    for (int k = 0; k < accumulators; k++) {
      if (landings.get(k) != dRegs.get(k)) c.move(Source.of(landings.get(k)), dRegs.get(k), type);
    }
  }

  private static List<Operand> elements(Operand operand, int count) {
    if (count == 1 && !(operand instanceof Operand.Vector)) return List.of(operand);
    if (operand instanceof Operand.Vector(var elements) && elements.size() == count) return elements;
    throw new Unsupported("the operand has not " + count + " registers");
  }

  private static List<Reg> inputs(Operand operand, int count, PtxType type, Lowering c) {
    return elements(operand, count).stream().map(e -> c.inRegister(e, type)).toList();
  }
}
