package tilewright.simulator.compiler;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.IntegerMath;

/** Integer and logic instructions. */
final class IntegerLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> L = long.class;
  private static final Map<String, Integer> PRMT_MODES =
      Map.of("f4e", 0, "b4e", 1, "rc8", 2, "ecl", 3, "ecr", 4, "rc16", 5);

  private IntegerLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "add" -> addOrSubtract(i, m, c, Opcode.IADD, Opcode.LADD, "addSat");
      case "sub" -> addOrSubtract(i, m, c, Opcode.ISUB, Opcode.LSUB, "subSat");
      case "mul", "mad" -> multiply(i, m, c);
      case "mul24", "mad24" -> multiply24(i, m, c);
      case "div", "rem" -> divide(i, m, c);
      case "min", "max" -> extremum(i, m, c);
      case "abs" -> unary(i, c, m.type(), (code, wide) -> code.call(Math.class, "abs", wide ? L : I, wide ? L : I));
      case "neg" -> unary(i, c, m.type(), (code, wide) -> code.op(wide ? Opcode.LNEG : Opcode.INEG));
      case "and" -> logic(i, c, m.type(), Opcode.IAND, Opcode.LAND);
      case "or" -> logic(i, c, m.type(), Opcode.IOR, Opcode.LOR);
      case "xor" -> logic(i, c, m.type(), Opcode.IXOR, Opcode.LXOR);
      case "not" -> not(i, c, m.type());
      case "cnot" -> unary(i, c, m.type(), (code, wide) ->
          code.call(IntegerMath.class, "cnot", wide ? L : I, wide ? L : I));
      case "shl", "shr" -> shift(i, m, c);
      case "shf" -> funnel(i, m, c);
      case "bfe", "bfi" -> bitField(i, m, c);
      case "prmt" -> permute(i, m, c);
      case "lop3" -> lop3(i, m, c);
      case "popc", "clz" -> count(i, m.type(), c);
      case "brev" -> unary(i, c, m.type(),
          (code, wide) -> code.call(wide ? Long.class : Integer.class, "reverse", wide ? L : I, wide ? L : I));
      case "bfind" -> find(i, m, c);
      case "dp4a" -> dot(i, m, c);
      default -> throw new Unsupported("unknown instruction");
    }
    m.requireNone();
  }

  /** Emits an operation on what is on the stack, 64 bits wide or not. */
  private interface Emit {
    void emit(LaneCode code, boolean wide);
  }

  private static boolean wide(PtxType type) {
    return Reg.kindOf(type) == Reg.Kind.LONG;
  }

  private static String suffix(PtxType type) {
    return LaneCode.isSigned(type) ? "S" : "U";
  }

  /** An instruction whose operands and result are all of one type. */
  private static void same(Instruction i, Lowering c, PtxType type, int inputs, Emit emit) {
    var operands = c.operands(i, inputs + 1);
    var sources = operands.subList(1, inputs + 1).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    c.lane(sources, List.of(to), code -> {
      for (var s : sources) code.push(s, type);
      emit.emit(code, wide(type));
      code.pop(to, type);
    });
  }

  private static void unary(Instruction i, Lowering c, PtxType type, Emit emit) {
    same(i, c, type, 1, emit);
  }

  private static void addOrSubtract(Instruction i, Modifiers m, Lowering c, Opcode narrow, Opcode wideOp,
      String saturating) {
    boolean saturate = m.take("sat");
    var type = m.type();
    if (saturate && type != PtxType.S32) throw new Unsupported(".sat exists for .s32 only");
    same(i, c, type, 2, (code, wide) -> {
      if (saturate) {
        code.call(IntegerMath.class, saturating, I, I, I);
      } else {
        code.op(wide ? wideOp : narrow);
      }
    });
  }

  private static void multiply(Instruction i, Modifiers m, Lowering c) {
    boolean addend = i.opcode().equals("mad");
    var part = m.takeOne(Set.of("lo", "hi", "wide")).orElse("lo");
    var type = m.type();
    var operands = c.operands(i, addend ? 4 : 3);
    var result = part.equals("wide") ? widened(type) : type;
    var sources = new ArrayList<>(operands.subList(1, operands.size()).stream().map(c::source).toList());
    var to = c.destination(operands.getFirst(), result);
    c.lane(sources, List.of(to), code -> {
      code.push(sources.get(0), type);
      if (part.equals("wide") && wide(result) && type == PtxType.S32) code.b.i2l();
      code.push(sources.get(1), type);
      product(code, part, type);
      if (addend) code.push(sources.get(2), result).op(wide(result) ? Opcode.LADD : Opcode.IADD);
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

  private static void product(LaneCode code, String part, PtxType type) {
    switch (part) {
      case "lo" -> code.op(wide(type) ? Opcode.LMUL : Opcode.IMUL);
      case "wide" -> {
        if (type.bits() == 16) {
          code.op(Opcode.IMUL);
        } else if (type == PtxType.S32) {
          code.b.i2l();
          code.op(Opcode.LMUL);
        } else {
          code.call(IntegerMath.class, "mulWideU", L, I, I);
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
    m.require("lo");
    var type = m.type();
    boolean addend = i.opcode().equals("mad24");
    var operands = c.operands(i, addend ? 4 : 3);
    var sources = operands.subList(1, operands.size()).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    c.lane(sources, List.of(to), code -> {
      code.push(sources.get(0), type).push(sources.get(1), type);
      code.call(IntegerMath.class, type == PtxType.S32 ? "mul24Lo" : "mul24LoU", I, I, I);
      if (addend) code.push(sources.get(2), type).op(Opcode.IADD);
      code.pop(to, type);
    });
  }

  private static void divide(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    same(i, c, type, 2, (code, wide) ->
        code.call(IntegerMath.class, i.opcode() + suffix(type), wide ? L : I, wide ? L : I, wide ? L : I));
  }

  private static void extremum(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    boolean signed = LaneCode.isSigned(type);
    same(i, c, type, 2, (code, wide) ->
        code.call(signed ? Math.class : IntegerMath.class, i.opcode() + (signed ? "" : "U"),
        wide ? L : I, wide ? L : I, wide ? L : I));
  }

  private static void logic(Instruction i, Lowering c, PtxType type, Opcode narrow, Opcode wideOp) {
    same(i, c, type, 2, (code, wide) -> code.op(wide ? wideOp : narrow));
  }

  private static void not(Instruction i, Lowering c, PtxType type) {
    unary(i, c, type, (code, wide) -> {
      if (wide) {
        code.b.loadConstant(-1L);
      } else {
        code.b.loadConstant(type == PtxType.PRED ? 1 : -1);
      }
      code.op(wide ? Opcode.LXOR : Opcode.IXOR);
    });
  }

  private static void shift(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    var operands = c.operands(i, 3);
    var value = c.source(operands.get(1));
    var by = c.source(operands.get(2));
    var to = c.destination(operands.get(0), type);
    var name = i.opcode().equals("shl") ? "shl" : "shr" + suffix(type);
    c.lane(List.of(value, by), List.of(to), code -> {
      code.push(value, type).push(by, PtxType.U32);
      code.call(IntegerMath.class, name, wide(type) ? L : I, wide(type) ? L : I, I).pop(to, type);
    });
  }

  private static void funnel(Instruction i, Modifiers m, Lowering c) {
    var direction = m.takeOne(Set.of("l", "r")).orElseThrow(() -> new Unsupported("shf without direction"));
    boolean clamp = m.takeOne(Set.of("clamp", "wrap")).orElse("wrap").equals("clamp");
    var type = m.type();
    same(i, c, type, 3, (code, _) -> {
      code.b.loadConstant(clamp ? 1 : 0);
      code.call(IntegerMath.class, direction.equals("l") ? "shfL" : "shfR", I, I, I, I, boolean.class);
    });
  }

  private static void bitField(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    boolean insert = i.opcode().equals("bfi");
    var operands = c.operands(i, insert ? 5 : 4);
    var sources = operands.subList(1, operands.size()).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    Class<?> j = wide(type) ? L : I;
    c.lane(sources, List.of(to), code -> {
      for (int k = 0; k < sources.size(); k++) code.push(sources.get(k), k < sources.size() - 2 ? type : PtxType.U32);
      if (insert) {
        code.call(IntegerMath.class, "bfi", j, j, j, I, I);
      } else {
        code.call(IntegerMath.class, "bfe" + suffix(type), j, j, I, I);
      }
      code.pop(to, type);
    });
  }

  private static void permute(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    var mode = m.takeOne(PRMT_MODES.keySet());
    same(i, c, type, 3, (code, _) -> {
      if (mode.isPresent()) {
        code.b.loadConstant(PRMT_MODES.get(mode.get()));
        code.call(IntegerMath.class, "prmt", I, I, I, I, I);
      } else {
        code.call(IntegerMath.class, "prmt", I, I, I, I);
      }
    });
  }

  private static void lop3(Instruction i, Modifiers m, Lowering c) {
    same(i, c, m.type(), 4, (code, _) -> code.call(IntegerMath.class, "lop3", I, I, I, I, I));
  }

  private static void count(Instruction i, PtxType type, Lowering c) {
    var operands = c.operands(i, 2);
    var value = c.source(operands.get(1));
    var to = c.destination(operands.get(0), PtxType.U32);
    var name = i.opcode().equals("popc") ? "bitCount" : "numberOfLeadingZeros";
    c.lane(List.of(value), List.of(to), code -> code.push(value, type)
        .call(wide(type) ? Long.class : Integer.class, name, I, wide(type) ? L : I).pop(to, PtxType.U32));
  }

  private static void find(Instruction i, Modifiers m, Lowering c) {
    boolean shift = m.take("shiftamt");
    var type = m.type();
    var operands = c.operands(i, 2);
    var value = c.source(operands.get(1));
    var to = c.destination(operands.get(0), PtxType.U32);
    c.lane(List.of(value), List.of(to), code -> {
      code.push(value, type).call(IntegerMath.class, "bfind" + suffix(type), I, wide(type) ? L : I);
      if (shift) {
        // Not found stays -1.
        code.b.loadConstant(type.bits() - 1);
        code.call(IntegerMath.class, "shiftAmount", I, I, I);
      }
      code.pop(to, PtxType.U32);
    });
  }

  private static void dot(Instruction i, Modifiers m, Lowering c) {
    var typeA = m.type();
    var typeB = m.type();
    var operands = c.operands(i, 4);
    var sources = operands.subList(1, 4).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), PtxType.B32);
    c.lane(sources, List.of(to), code -> {
      for (var s : sources) code.push(s, PtxType.B32);
      code.b.loadConstant(LaneCode.isSigned(typeA) ? 1 : 0).loadConstant(LaneCode.isSigned(typeB) ? 1 : 0);
      code.call(IntegerMath.class, "dp4a", I, I, I, I, boolean.class, boolean.class).pop(to, PtxType.B32);
    });
  }
}
