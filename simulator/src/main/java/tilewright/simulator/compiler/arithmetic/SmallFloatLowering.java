package tilewright.simulator.compiler.arithmetic;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.SmallConversions;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** {@code cvt} to and from numbers of eight bits and fewer, and with stochastic rounding (PTX ISA, cvt). */
final class SmallFloatLowering {
  static final Pattern TYPE = Pattern.compile("(e4m3|e5m2|e2m3|e3m2|e2m1|ue8m0)x[24]");
  private static final Class<?> I = int.class;
  private static final Class<?> F = float.class;
  private static final Class<?> B = boolean.class;

  private SmallFloatLowering() {}

  /** A conversion that names a small type; rounding, {@code .relu} and {@code .satfinite} are taken already. */
  static void lower(Instruction i, Modifiers m, Lowering c, String small, String rounding, boolean relu,
      boolean finite) {
    var other = m.type();
    m.requireNone();
    if (small.equals(i.modifiers().getLast())) {
      expand(i, c, small, other, rounding, relu, finite);
    } else if (small.startsWith("ue8m0")) {
      scales(i, c, other, rounding, relu, finite);
    } else if (rounding.equals("rs")) {
      four(i, c, small, other, relu, finite);
    } else {
      pack(i, c, small, other, rounding, relu, finite);
    }
  }

  private static void refuseUnless(boolean exists, Instruction i) {
    if (!exists) throw new Unsupported("there is no cvt." + String.join(".", i.modifiers()));
  }

  private static PtxType word(String small) {
    if (small.equals("e2m1x2")) return PtxType.B8;
    return small.endsWith("x2") || small.startsWith("e2m1") ? PtxType.B16 : PtxType.B32;
  }

  private static void pack(Instruction i, Lowering c, String small, PtxType from, String rounding, boolean relu,
      boolean finite) {
    refuseUnless(rounding.equals("rn") && finite && small.endsWith("x2"), i);
    boolean halves = from == PtxType.F16X2;
    refuseUnless(halves || from == PtxType.F32, i);
    Elementwise.of(i, c, word(small), halves ? List.of(PtxType.B32) : List.of(PtxType.F32, PtxType.F32), code -> {
      code.b.loadConstant(SmallConversions.format(small)).loadConstant(relu ? 1 : 0);
      if (halves) {
        code.call(SmallConversions.class, "packHalves", I, I, I, B);
      } else {
        code.call(SmallConversions.class, "pack", I, F, F, I, B);
      }
    });
  }

  private static void expand(Instruction i, Lowering c, String small, PtxType to, String rounding, boolean relu,
      boolean finite) {
    boolean scales = small.startsWith("ue8m0");
    refuseUnless(rounding.equals("rn") && !finite && to == (scales ? PtxType.BF16X2 : PtxType.F16X2), i);
    Elementwise.of(i, c, PtxType.B32, List.of(word(small)), code -> {
      if (scales) {
        code.call(SmallConversions.class, "bf16OfScales", I, I);
      } else {
        code.b.loadConstant(SmallConversions.format(small)).loadConstant(relu ? 1 : 0);
        code.call(SmallConversions.class, "halves", I, I, I, B);
      }
    });
  }

  private static void scales(Instruction i, Lowering c, PtxType from, String rounding, boolean relu, boolean finite) {
    boolean halves = from == PtxType.BF16X2;
    refuseUnless((rounding.equals("rz") || rounding.equals("rp")) && !relu && (halves || from == PtxType.F32), i);
    Elementwise.of(i, c, PtxType.B16, halves ? List.of(PtxType.B32) : List.of(PtxType.F32, PtxType.F32), code -> {
      code.b.loadConstant(rounding.equals("rp") ? 1 : 0).loadConstant(finite ? 1 : 0);
      if (halves) {
        code.call(SmallConversions.class, "packScalesOfBf16", I, I, B, B);
      } else {
        code.call(SmallConversions.class, "packScales", I, F, F, B, B);
      }
    });
  }

  private static void four(Instruction i, Lowering c, String small, PtxType from, boolean relu, boolean finite) {
    refuseUnless(from == PtxType.F32 && finite && small.endsWith("x4"), i);
    var operands = c.operands(i, 3);
    var inputs = new ArrayList<Operand>(c.elements(operands.get(1), 4));
    inputs.add(operands.get(2));
    Elementwise.of(operands.getFirst(), inputs, c, word(small),
        List.of(PtxType.F32, PtxType.F32, PtxType.F32, PtxType.F32, PtxType.B32), code -> {
          code.b.loadConstant(SmallConversions.format(small)).loadConstant(relu ? 1 : 0);
          code.call(SmallConversions.class, "packRandomly", I, F, F, F, F, I, I, B);
        });
  }

  /** {@code cvt.rs} to a pair of halves. */
  static void randomHalves(Instruction i, Lowering c, PtxType to, PtxType from, boolean relu, boolean finite) {
    refuseUnless((to == PtxType.F16X2 || to == PtxType.BF16X2) && from == PtxType.F32, i);
    Elementwise.of(i, c, PtxType.B32, List.of(PtxType.F32, PtxType.F32, PtxType.B32), code -> {
      code.b.loadConstant(to == PtxType.BF16X2 ? 1 : 0).loadConstant(relu ? 1 : 0).loadConstant(finite ? 1 : 0);
      code.call(SmallConversions.class, "packRandomly", I, F, F, I, B, B, B);
    });
  }
}
