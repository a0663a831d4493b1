package tilewright.simulator.compiler.arithmetic;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.CarryMath;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Extended-precision arithmetic: what reads or writes the condition code's carry (PTX ISA, add.cc to madc). */
public final class CarryLowering {
  private CarryLowering() {}

  /** Whether an instruction reads or writes the carry. */
  public static boolean handles(Instruction i) {
    return i.has("cc") || Set.of("addc", "subc", "madc").contains(i.opcode());
  }

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean writes = m.take("cc");
    boolean reads = i.opcode().endsWith("c");
    boolean product = i.opcode().startsWith("mad");
    var part = product ? m.takeOne(Set.of("lo", "hi")).orElseThrow(() -> new Unsupported("mad.cc without .lo or .hi"))
        : "";
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, product ? 4 : 3);
    var sources = operands.subList(1, operands.size()).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    var carry = c.carry();
    boolean subtracts = i.opcode().startsWith("sub");
    var in = reads ? Source.of(carry) : Source.of(subtracts ? 1 : 0);
    var inputs = new ArrayList<>(sources);
    inputs.add(in);
    Class<?> j = Elementwise.jvm(type);
    c.lane(inputs, writes ? List.of(to, carry) : List.of(to), code -> {
      // The result may be one of the operands: both values are computed before either is stored.
      if (writes) {
        arguments(code, i, part, sources, in);
        code.call(CarryMath.class, "addCarry", int.class, j, j, int.class);
      }
      arguments(code, i, part, sources, in);
      code.call(CarryMath.class, "add", j, j, j, int.class).pop(to, type);
      if (writes) code.pop(carry, PtxType.PRED);
    });
  }

  private static void arguments(LaneCode code, Instruction i, String part, List<Source> sources, Source carry) {
    var type = i.type().orElseThrow();
    code.push(sources.get(0), type).push(sources.get(1), type);
    if (i.opcode().startsWith("sub")) complement(code, type);
    if (!part.isEmpty()) {
      IntegerLowering.product(code, part, type);
      code.push(sources.get(2), type);
    }
    code.push(carry, PtxType.PRED);
  }

  private static void complement(LaneCode code, PtxType type) {
    if (Elementwise.wide(type)) {
      code.b.loadConstant(-1L).lxor();
    } else {
      code.b.loadConstant(-1).ixor();
    }
  }
}
