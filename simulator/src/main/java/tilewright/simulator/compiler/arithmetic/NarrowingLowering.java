package tilewright.simulator.compiler.arithmetic;

import java.util.Collections;
import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.HalfClamps;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.arithmetic.Narrowing;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** {@code cvt} to what neural networks compute with: halves, pairs of them, tf32, packed integers (PTX ISA, cvt). */
final class NarrowingLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> F = float.class;

  private NarrowingLowering() {}

  /** f32 to f16 or bf16, one or, the first operand into the upper half, two. */
  static void halves(Instruction i, Lowering c, PtxType to, int mode, boolean relu, boolean finite) {
    var name = switch (to) {
      case F16 -> "toF16";
      case BF16 -> "toBf16";
      case F16X2 -> "packF16";
      case BF16X2 -> "packBf16";
      default -> throw new Unsupported("cvt.relu or .satfinite to " + to.text());
    };
    int inputs = to.bits() / 16;
    Elementwise.of(i, c, to, Collections.nCopies(inputs, PtxType.F32), code -> {
      if (mode == Conversions.NEAREST_EVEN && !finite) {
        var owner = inputs == 2 ? HalfMath.class : Conversions.class;
        code.call(owner, name, I, Collections.nCopies(inputs, F).toArray(Class<?>[]::new));
      } else {
        code.b.loadConstant(mode).loadConstant(finite ? 1 : 0);
        if (inputs == 2) {
          code.call(Narrowing.class, name, I, F, F, I, boolean.class);
        } else {
          code.call(Narrowing.class, name, I, F, I, boolean.class);
        }
      }
      if (relu) code.call(HalfClamps.class, "relu" + Clamps.half(to), I, I);
    });
  }

  static void tf32(Instruction i, Modifiers m, Lowering c, String rounding, boolean relu, boolean finite) {
    m.require("f32");
    m.requireNone();
    boolean away = rounding.equals("rna");
    if (away ? relu : !rounding.equals("rn") && !rounding.equals("rz")) {
      throw new Unsupported("there is no cvt." + String.join(".", i.modifiers()));
    }
    Elementwise.of(i, c, PtxType.F32, List.of(PtxType.F32), code -> {
      if (away) {
        code.call(finite ? Narrowing.class : Conversions.class, "toTf32", F, F);
      } else {
        code.b.loadConstant(rounding.equals("rn") ? 1 : 0).loadConstant(relu ? 1 : 0).loadConstant(finite ? 1 : 0);
        code.call(Narrowing.class, "toTf32", F, F, boolean.class, boolean.class, boolean.class);
      }
    });
  }

  /** {@code cvt.pack}: two integers clamped into the lower end of a word, the rest filled from a third operand. */
  static void integers(Instruction i, Modifiers m, Lowering c, boolean saturate) {
    var narrow = m.takeMatching(Narrowing.PACKED).orElseThrow(() -> new Unsupported("cvt.pack to no such type"));
    int bits = Integer.parseInt(narrow.substring(1));
    m.require("s32");
    boolean filled = bits < 16;
    if (filled) m.require("b32");
    m.requireNone();
    if (!saturate) throw new Unsupported("cvt.pack without .sat");
    Elementwise.same(i, c, PtxType.B32, filled ? 3 : 2, (code, _) -> {
      if (!filled) code.b.iconst_0();
      code.b.loadConstant(bits).loadConstant(narrow.startsWith("s") ? 1 : 0);
      code.call(Narrowing.class, "pack", I, I, I, I, I, boolean.class);
    });
  }
}
