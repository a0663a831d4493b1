package tilewright.simulator.compiler.matrix;

import java.util.ArrayList;
import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.mma.MmaUnit;
import tilewright.simulator.mma.QuadPairMma;
import tilewright.simulator.tensorcore.MmaType;

/** {@code mma.m8n8k4} of f16, which multiplies four pairs of small matrices. */
final class QuadPairLowering {
  private static final int FACTORS = 2;
  private static final int ELEMENTS = 8;

  private QuadPairLowering() {}

  static boolean takes(MmaLowering.Form form) {
    return form.shape().toString().equals("m8n8k4") && form.a() == MmaType.F16;
  }

  static void lower(Instruction i, MmaLowering.Form form, boolean rowsOfA, boolean rowsOfB, Lowering c) {
    boolean known = form.b() == MmaType.F16 && isSum(form.c()) && isSum(form.d()) && !form.sparse()
        && (form.flags() & ~MmaUnit.HALF_RESULT) == 0 && (form.d() == MmaType.F32 || form.c() == MmaType.F16);
    if (!known) throw new Unsupported("there is no mma." + String.join(".", i.modifiers()));
    var operands = c.operands(i, 4);
    var reads = new ArrayList<Reg>();
    reads.addAll(MmaLowering.inputs(operands.get(1), MmaType.F16, FACTORS, c));
    reads.addAll(MmaLowering.inputs(operands.get(2), MmaType.F16, FACTORS, c));
    reads.addAll(MmaLowering.inputs(operands.get(3), form.c(), registers(form.c()), c));
    var type = MmaLowering.carrier(form.d());
    var results = c.elements(operands.getFirst(), registers(form.d())).stream().map(e -> c.destination(e, type))
        .toList();
    var landings = results.stream().map(to -> to.kind == Reg.kindOf(type) ? to : c.temp(type)).toList();
    c.together(Source.of(-1));
    var arguments = new ArrayList<Op.Argument>();
    for (var group : List.of(reads, landings)) for (var r : group) arguments.add(new Op.Argument.Lanes(r));
    int layouts = (rowsOfA ? 0 : QuadPairMma.A_COLUMNS) | (rowsOfB ? QuadPairMma.B_ROWS : 0);
    arguments.add(new Op.Argument.IntValue(layouts));
    c.warp(QuadPairMma.class, "multiply", arguments, new Op.Result.Nothing(), reads, landings);
    MmaLowering.land(landings, results, type, c);
  }

  private static boolean isSum(MmaType type) {
    return type == MmaType.F16 || type == MmaType.F32;
  }

  private static int registers(MmaType type) {
    return ELEMENTS / type.perRegister();
  }
}
