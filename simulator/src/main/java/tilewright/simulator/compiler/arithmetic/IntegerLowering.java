package tilewright.simulator.compiler.arithmetic;

import static tilewright.simulator.compiler.lowering.Elementwise.jvm;
import static tilewright.simulator.compiler.lowering.Elementwise.same;
import static tilewright.simulator.compiler.lowering.Elementwise.suffix;
import static tilewright.simulator.compiler.lowering.Elementwise.wide;

import java.lang.classfile.Opcode;
import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.IntegerMath;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Integer arithmetic without carries (PTX ISA, Integer Arithmetic Instructions). */
public final class IntegerLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> L = long.class;

  private IntegerLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    if (i.has("u16x2") || i.has("s16x2")) {
      SimdLowering.shorts(i, m, c);
      return;
    }
    switch (i.opcode()) {
      case "add" -> addOrSubtract(i, m, c, Opcode.IADD, Opcode.LADD);
      case "sub" -> addOrSubtract(i, m, c, Opcode.ISUB, Opcode.LSUB);
      case "mul", "mad" -> multiply(i, m, c);
      case "mul24", "mad24" -> multiply24(i, m, c);
      case "div", "rem" -> divide(i, m.type(), c);
      case "min", "max" -> {
        boolean relu = m.take("relu");
        extremum(i, m.type(), relu, c);
      }
      case "sad" -> difference(i, m.type(), c);
      case "abs" -> same(i, c, m.type(), 1, (code, wide) -> code.call(Math.class, "abs", wide ? L : I, wide ? L : I));
      case "neg" -> same(i, c, m.type(), 1, (code, wide) -> code.op(wide ? Opcode.LNEG : Opcode.INEG));
      case "dp4a" -> dot(i, "dp4a", m, c);
      case "dp2a" -> dot(i, m.take("hi") ? "dp2aHi" : m.take("lo") ? "dp2aLo" : "", m, c);
      default -> throw new Unsupported("unknown instruction");
    }
    m.requireNone();
  }

  private static void addOrSubtract(Instruction i, Modifiers m, Lowering c, Opcode narrow, Opcode wideOp) {
    boolean saturate = m.take("sat");
    var type = m.type();
    requireSaturable(saturate, type);
    same(i, c, type, 2, (code, wide) -> {
      if (saturate) {
        code.call(IntegerMath.class, i.opcode() + "Sat", I, I, I);
      } else {
        code.op(wide ? wideOp : narrow);
      }
    });
  }

  private static void requireSaturable(boolean saturate, PtxType type) {
    if (saturate && type != PtxType.S32) throw new Unsupported(".sat exists for .s32 only");
  }

  private static void multiply(Instruction i, Modifiers m, Lowering c) {
    boolean saturate = m.take("sat");
    var part = m.takeOne(Set.of("lo", "hi", "wide")).orElse("lo");
    var type = m.type();
    var result = part.equals("wide") ? widened(type) : type;
    requireSaturable(saturate, type);
    multiplyAdd(i, c, type, result, saturate, code -> product(code, part, type));
  }

  /** A product of two factors, and for {@code mad} its sum with an addend. */
  private static void multiplyAdd(Instruction i, Lowering c, PtxType type, PtxType result, boolean saturate,
      Op.LaneBody product) {
    boolean addend = i.opcode().startsWith("mad");
    var operands = c.operands(i, addend ? 4 : 3);
    var sources = operands.subList(1, operands.size()).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), result);
    c.lane(sources, List.of(to), code -> {
      code.push(sources.get(0), type).push(sources.get(1), type);
      product.emit(code);
      if (addend) {
        code.push(sources.get(2), result);
        if (saturate) {
          code.call(IntegerMath.class, "addSat", I, I, I);
        } else {
          code.op(wide(result) ? Opcode.LADD : Opcode.IADD);
        }
      }
      code.pop(to, result);
    });
  }

  private static PtxType widened(PtxType type) {
    return switch (type) {
      case S16 -> PtxType.S32;
      case U16 -> PtxType.U32;
      case S32 -> PtxType.S64;
      case U32 -> PtxType.U64;
      default -> throw new Unsupported(".wide of " + type.text());
    };
  }

  /** Multiplies the two values on the stack. */
  static void product(LaneCode code, String part, PtxType type) {
    switch (part) {
      case "lo" -> code.op(wide(type) ? Opcode.LMUL : Opcode.IMUL);
      case "wide" -> {
        if (type.bits() == 16) {
          code.op(Opcode.IMUL);
        } else {
          code.call(IntegerMath.class, "mulWide" + suffix(type), L, I, I);
        }
      }
      default -> {
        if (type.bits() == 16) {
          code.call(IntegerMath.class, "mulHi16", I, I, I);
        } else if (wide(type)) {
          code.call(Math.class, type == PtxType.S64 ? "multiplyHigh" : "unsignedMultiplyHigh", L, L, L);
        } else {
          code.call(IntegerMath.class, "mulHi" + suffix(type), I, I, I);
        }
      }
    }
  }

  private static void multiply24(Instruction i, Modifiers m, Lowering c) {
    var part = m.takeOne(Set.of("lo", "hi")).orElseThrow(() -> new Unsupported(i.opcode() + " without .lo or .hi"));
    boolean saturate = m.take("sat");
    var type = m.type();
    requireSaturable(saturate, type);
    var method = (part.equals("lo") ? "mul24Lo" : "mul24Hi") + suffix(type);
    multiplyAdd(i, c, type, type, saturate, code -> code.call(IntegerMath.class, method, I, I, I));
  }

  private static void divide(Instruction i, PtxType type, Lowering c) {
    Class<?> j = jvm(type);
    same(i, c, type, 2, (code, _) -> code.call(IntegerMath.class, i.opcode() + suffix(type), j, j, j));
  }

  private static void extremum(Instruction i, PtxType type, boolean relu, Lowering c) {
    if (relu && type != PtxType.S32) throw new Unsupported(".relu of " + type.text());
    boolean signed = LaneCode.isSigned(type);
    Class<?> j = jvm(type);
    same(i, c, type, 2, (code, _) -> {
      code.call(signed ? Math.class : IntegerMath.class, i.opcode() + (signed ? "" : "U"), j, j, j);
      if (relu) {
        code.b.iconst_0();
        code.call(Math.class, "max", I, I, I);
      }
    });
  }

  private static void difference(Instruction i, PtxType type, Lowering c) {
    Class<?> j = jvm(type);
    same(i, c, type, 3, (code, _) -> code.call(IntegerMath.class, "sad" + suffix(type), j, j, j, j));
  }

  private static void dot(Instruction i, String name, Modifiers m, Lowering c) {
    if (name.isEmpty()) throw new Unsupported("dp2a without .lo or .hi");
    var typeA = m.type();
    var typeB = m.type();
    same(i, c, PtxType.B32, 3, (code, _) -> {
      code.b.loadConstant(LaneCode.isSigned(typeA) ? 1 : 0).loadConstant(LaneCode.isSigned(typeB) ? 1 : 0);
      code.call(IntegerMath.class, name, I, I, I, I, boolean.class, boolean.class);
    });
  }
}
