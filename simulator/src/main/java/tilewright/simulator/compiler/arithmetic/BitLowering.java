package tilewright.simulator.compiler.arithmetic;

import static tilewright.simulator.compiler.lowering.Elementwise.jvm;
import static tilewright.simulator.compiler.lowering.Elementwise.same;
import static tilewright.simulator.compiler.lowering.Elementwise.suffix;
import static tilewright.simulator.compiler.lowering.Elementwise.wide;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.BitFields;
import tilewright.simulator.arithmetic.IntegerMath;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Logic, shifts and bit fields. */
public final class BitLowering {
  private static final Class<?> I = int.class;
  private static final Map<String, Integer> PRMT_MODES =
      Map.of("f4e", 0, "b4e", 1, "rc8", 2, "ecl", 3, "ecr", 4, "rc16", 5);

  private BitLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "and" -> logic(i, c, m.type(), Opcode.IAND, Opcode.LAND);
      case "or" -> logic(i, c, m.type(), Opcode.IOR, Opcode.LOR);
      case "xor" -> logic(i, c, m.type(), Opcode.IXOR, Opcode.LXOR);
      case "not" -> not(i, c, m.type());
      case "cnot" -> logicalNot(i, c, m.type());
      case "shl", "shr" -> shift(i, m.type(), c);
      case "shf" -> funnel(i, m, c);
      case "bfe", "bfi" -> bitField(i, m.type(), c);
      case "bfind" -> find(i, m, c);
      case "popc" -> count(i, m.type(), "bitCount", c);
      case "clz" -> count(i, m.type(), "numberOfLeadingZeros", c);
      case "brev" -> reverse(i, m.type(), c);
      case "prmt" -> permute(i, m, c);
      case "lop3" -> lop3(i, m, c);
      case "szext" -> extend(i, m, c);
      case "bmsk" -> mask(i, m, c);
      case "fns" -> same(i, c, m.type(), 3, (code, _) -> code.call(BitFields.class, "fns", I, I, I, I));
      default -> throw new Unsupported("unknown instruction");
    }
    m.requireNone();
  }

  private static void logic(Instruction i, Lowering c, PtxType type, Opcode narrow, Opcode wideOp) {
    Elementwise.of(i, c, type, List.of(type, type), s -> Flow.Logic.of(i.opcode(), s.get(0), s.get(1), type),
        code -> code.op(wide(type) ? wideOp : narrow));
  }

  private static void not(Instruction i, Lowering c, PtxType type) {
    boolean wide = wide(type);
    Elementwise.of(i, c, type, List.of(type), s -> Flow.Logic.not(s.getFirst(), type), code -> {
      if (wide) {
        code.b.loadConstant(-1L);
      } else {
        code.b.loadConstant(type == PtxType.PRED ? 1 : -1);
      }
      code.op(wide ? Opcode.LXOR : Opcode.IXOR);
    });
  }

  private static void logicalNot(Instruction i, Lowering c, PtxType type) {
    Class<?> j = jvm(type);
    same(i, c, type, 1, (code, _) -> code.call(IntegerMath.class, "cnot", j, j));
  }

  private static void shift(Instruction i, PtxType type, Lowering c) {
    var name = i.opcode().equals("shl") ? "shl" : "shr" + suffix(type);
    Class<?> j = jvm(type);
    Elementwise.moving(i, c, type, List.of(type, PtxType.U32), 1, code -> code.call(IntegerMath.class, name, j, j, I));
  }

  private static void funnel(Instruction i, Modifiers m, Lowering c) {
    var direction = m.takeOne(Set.of("l", "r")).orElseThrow(() -> new Unsupported("shf without direction"));
    boolean clamp = clamp(m);
    Elementwise.moving(i, c, m.type(), Collections.nCopies(3, PtxType.B32), 2, code -> {
      code.b.loadConstant(clamp ? 1 : 0);
      code.call(IntegerMath.class, direction.equals("l") ? "shfL" : "shfR", I, I, I, I, boolean.class);
    });
  }

  private static boolean clamp(Modifiers m) {
    return m.takeOne(Set.of("clamp", "wrap")).orElse("wrap").equals("clamp");
  }

  private static void bitField(Instruction i, PtxType type, Lowering c) {
    boolean insert = i.opcode().equals("bfi");
    Class<?> j = jvm(type);
    var types = new ArrayList<>(Collections.nCopies(insert ? 2 : 1, type));
    types.addAll(List.of(PtxType.U32, PtxType.U32));
    Elementwise.moving(i, c, type, types, insert ? 2 : 1, code -> {
      if (insert) {
        code.call(BitFields.class, "bfi", j, j, j, I, I);
      } else {
        code.call(BitFields.class, "bfe" + suffix(type), j, j, I, I);
      }
    });
  }

  private static void find(Instruction i, Modifiers m, Lowering c) {
    boolean shift = m.take("shiftamt");
    var type = m.type();
    Elementwise.of(i, c, PtxType.U32, List.of(type), code -> {
      code.call(IntegerMath.class, "bfind" + suffix(type), I, jvm(type));
      if (shift) {
        // Not found stays -1.
        code.b.loadConstant(type.bits() - 1);
        code.call(IntegerMath.class, "shiftAmount", I, I, I);
      }
    });
  }

  private static void count(Instruction i, PtxType type, String method, Lowering c) {
    Elementwise.of(i, c, PtxType.U32, List.of(type),
        code -> code.call(wide(type) ? Long.class : Integer.class, method, I, jvm(type)));
  }

  private static void reverse(Instruction i, PtxType type, Lowering c) {
    Class<?> j = jvm(type);
    Elementwise.moving(i, c, type, List.of(type), 1, code -> code.call(wide(type) ? Long.class : Integer.class,
        "reverse", j, j));
  }

  private static void permute(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    var mode = m.takeOne(PRMT_MODES.keySet());
    Elementwise.moving(i, c, type, Collections.nCopies(3, type), 2, code -> {
      if (mode.isPresent()) {
        code.b.loadConstant(PRMT_MODES.get(mode.get()));
        code.call(IntegerMath.class, "prmt", I, I, I, I, I);
      } else {
        code.call(IntegerMath.class, "prmt", I, I, I, I);
      }
    });
  }

  private static void lop3(Instruction i, Modifiers m, Lowering c) {
    var combine = m.takeOne(Set.of("and", "or", "xor"));
    var type = m.type();
    if (combine.isEmpty()) {
      Elementwise.of(i, c, type, Collections.nCopies(4, type), s -> bitwise(s, type),
          code -> code.call(IntegerMath.class, "lop3", I, I, I, I, I));
      return;
    }
    var operands = c.operands(i, 6);
    if (!(operands.getFirst() instanceof Operand.Pair(var to, var predicate))) {
      throw new Unsupported("lop3." + combine.get() + " without d|p");
    }
    var result = c.temp(type);
    var sources = operands.subList(1, 5).stream().map(c::source).toList();
    c.lane(sources, List.of(result), bitwise(sources, type), code -> {
      for (var s : sources) code.push(s, type);
      code.call(IntegerMath.class, "lop3", I, I, I, I, I).pop(result, type);
    });
    var other = c.source(operands.get(5));
    var set = c.temp(PtxType.PRED);
    c.lane(List.of(Source.of(result)), List.of(set), code -> code.push(Source.of(result), type)
        .call(BitFields.class, "isSet", boolean.class, I).pop(set, PtxType.PRED));
    PredicateLowering.combine(combine.get(), Source.of(set), other, c.destination(predicate, PtxType.PRED), c);
    if (!(to instanceof Operand.Sink)) c.move(Source.of(result), c.destination(to, type), type);
  }

  /** A function of three bits whose truth table is the fourth operand. */
  private static Flow bitwise(List<Source> sources, PtxType type) {
    return sources.getLast() instanceof Source.Constant(long table, _)
        ? new Flow.Logic((int) table & 0xFF, sources.subList(0, 3).stream().map(s -> new Flow.Input(s, type)).toList())
        : Flow.MIXED;
  }

  private static void extend(Instruction i, Modifiers m, Lowering c) {
    boolean clamp = clamp(m);
    var type = m.type();
    Elementwise.moving(i, c, type, List.of(type, type), 1, code -> {
      code.b.loadConstant(clamp ? 1 : 0).loadConstant(LaneCode.isSigned(type) ? 1 : 0);
      code.call(BitFields.class, "szext", I, I, I, boolean.class, boolean.class);
    });
  }

  private static void mask(Instruction i, Modifiers m, Lowering c) {
    boolean clamp = clamp(m);
    same(i, c, m.type(), 2, (code, _) -> {
      code.b.loadConstant(clamp ? 1 : 0);
      code.call(BitFields.class, "bmsk", I, I, I, boolean.class);
    });
  }
}
