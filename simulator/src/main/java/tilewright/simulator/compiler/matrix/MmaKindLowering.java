package tilewright.simulator.compiler.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.mma.MmaUnit;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaleFormat;

/** {@code mma.sync} that names a kind: small factors of several types, also with block scales (sm_120a). */
final class MmaKindLowering {
  static final Pattern KIND = Pattern.compile("kind::(f8f6f4|mxf8f6f4|mxf4|mxf4nvf4)");
  private static final Pattern VECTOR = Pattern.compile("scale_vec::[124]X");
  private static final Set<String> SCALES = Set.of("ue8m0", "ue4m3");
  private static final Set<MmaType> BYTES =
      Set.of(MmaType.E4M3, MmaType.E5M2, MmaType.E3M2, MmaType.E2M3, MmaType.E2M1);
  private static final int REGISTERS_OF_A = 4;
  private static final int REGISTERS_OF_B = 2;

  private MmaKindLowering() {}

  static void lower(String kind, Instruction i, Modifiers m, Lowering c) {
    boolean scaled = m.take("block_scale");
    var vector = m.takeMatching(VECTOR).map(v -> v.charAt(v.length() - 2) - '0');
    var shape = MmaLowering.Shape.take(m);
    m.require("row");
    m.require("col");
    var d = MmaLowering.type(m);
    var a = MmaLowering.type(m);
    var b = MmaLowering.type(m);
    var sum = MmaLowering.type(m);
    var scale = m.takeOne(SCALES);
    m.requireNone();
    int scales = vector.orElse(kind.equals("kind::mxf8f6f4") ? 1 : kind.equals("kind::mxf4") ? 2 : 0);
    boolean nibbles = kind.startsWith("kind::mxf4");
    boolean known = shape.toString().equals(nibbles ? "m16n8k64" : "m16n8k32") && d == sum
        && (nibbles ? a == MmaType.E2M1 && b == MmaType.E2M1 : BYTES.contains(a) && BYTES.contains(b))
        && (d == MmaType.F32 || d == MmaType.F16 && !scaled) && scaled == !kind.equals("kind::f8f6f4")
        && (scaled ? isKnown(kind, scales, scale) : vector.isEmpty() && scale.isEmpty());
    if (!known) throw new Unsupported("there is no mma." + String.join(".", i.modifiers()));
    int flags = (nibbles ? 0 : MmaUnit.BYTES) | (d == MmaType.F16 ? MmaUnit.HALF_RESULT : 0);
    var form = new MmaLowering.Form(shape, a, b, sum, d, flags, false);
    multiply(i, form, scaled ? Optional.of(scales) : Optional.empty(), scale.orElse("ue8m0"), c);
  }

  private static boolean isKnown(String kind, int scales, Optional<String> scale) {
    if (scale.isEmpty()) return false;
    boolean powers = scale.get().equals("ue8m0");
    return switch (kind) {
      case "kind::mxf8f6f4" -> scales == 1 && powers;
      case "kind::mxf4" -> scales == 2 && powers;
      default -> scales == 2 && powers || scales == 4;
    };
  }

  private static void multiply(Instruction i, MmaLowering.Form form, Optional<Integer> scales, String scale,
      Lowering c) {
    var operands = c.operands(i, scales.isPresent() ? 8 : 4);
    var a = MmaLowering.inputs(operands.get(1), form.a(), REGISTERS_OF_A, c);
    var b = MmaLowering.inputs(operands.get(2), form.b(), REGISTERS_OF_B, c);
    int count = MmaLowering.registers(form.d(), form.shape().m() * form.shape().n(), false);
    var sums = MmaLowering.inputs(operands.get(3), form.c(), count, c);
    var type = MmaLowering.carrier(form.d());
    var results = c.elements(operands.getFirst(), count).stream().map(e -> c.destination(e, type)).toList();
    var landings = results.stream().map(to -> to.kind == Reg.kindOf(type) ? to : c.temp(type)).toList();
    var more = new ArrayList<Op.Argument>();
    if (scales.isPresent()) {
      scales(operands.get(4), operands.get(5), more, c);
      scales(operands.get(6), operands.get(7), more, c);
      more.add(new Op.Argument.IntValue(scales.get()));
      more.add(new Op.Argument.IntValue((scale.equals("ue4m3") ? ScaleFormat.UE4M3 : ScaleFormat.UE8M0).ordinal()));
      more.add(new Op.Argument.IntValue(c.site()));
    }
    c.together(Source.of(-1));
    MmaLowering.staged(form, a, b, sums, landings, scales.isPresent() ? "multiplyScaled" : "multiply", more, c);
    MmaLowering.land(landings, results, type, c);
  }

  /** A register of scales, and which byte and thread of it count. */
  private static void scales(Operand word, Operand selectors, List<Op.Argument> more, Lowering c) {
    more.add(new Op.Argument.Lanes(c.inRegister(c.elements(word, 1).getFirst(), PtxType.B32)));
    for (var selector : c.elements(selectors, 2)) {
      more.add(new Op.Argument.Lanes(c.inRegister(selector, PtxType.U16)));
    }
  }
}
