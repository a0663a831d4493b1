package tilewright.simulator.compiler;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Compare;
import tilewright.simulator.core.Conversions;
import tilewright.simulator.core.FloatMath;

/** Comparisons and selections. */
final class PredicateLowering {
  private static final Set<String> ORDERED = Set.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final Set<String> UNSIGNED = Set.of("lo", "ls", "hi", "hs");
  private static final Set<String> UNORDERED = Set.of("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan");
  private static final Set<String> BOOLEAN = Set.of("and", "or", "xor");

  private PredicateLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "setp" -> setp(i, m, c);
      case "set" -> set(i, m, c);
      case "selp" -> select(i, m, c);
      default -> signSelect(i, m, c);
    }
  }

  private static String comparison(Modifiers m) {
    return m.takeOne(ORDERED).or(() -> m.takeOne(UNSIGNED)).or(() -> m.takeOne(UNORDERED))
        .orElseThrow(() -> new Unsupported("no comparison operator"));
  }

  /** Leaves 0 or 1 on the stack. */
  private static void compare(LaneCode code, String operator, PtxType type, Source a, Source b, boolean flush) {
    for (var s : List.of(a, b)) {
      code.push(s, type);
      if (flush) code.call(FloatMath.class, "flush", float.class, float.class);
      switch (type) {
        case F32 -> code.b.f2d();
        case F16 -> code.call(Conversions.class, "fromF16", float.class, int.class).b.f2d();
        case BF16 -> code.call(Conversions.class, "fromBf16", float.class, int.class).b.f2d();
        default -> {}
      }
    }
    Class<?> j = FloatLowering.isFloat(type) ? double.class
        : Reg.kindOf(type) == Reg.Kind.LONG ? long.class : int.class;
    code.call(Compare.class, operator, boolean.class, j, j);
  }

  private static String operatorFor(String operator, PtxType type) {
    boolean floating = FloatLowering.isFloat(type);
    if (type == PtxType.F16X2 || type == PtxType.BF16X2) throw new Unsupported("comparison of pairs is not supported");
    if (UNORDERED.contains(operator) && !floating) throw new Unsupported("." + operator + " of " + type.text());
    if (UNSIGNED.contains(operator) && (floating || LaneCode.isSigned(type))) {
      throw new Unsupported("." + operator + " of " + type.text());
    }
    // Narrow unsigned values are positive ints; only full words need an unsigned comparison.
    boolean unsigned = type == PtxType.U32 || type == PtxType.U64;
    return switch (operator) {
      case "lt" -> unsigned ? "lo" : "lt";
      case "le" -> unsigned ? "ls" : "le";
      case "gt" -> unsigned ? "hi" : "gt";
      case "ge" -> unsigned ? "hs" : "ge";
      default -> operator;
    };
  }

  private static void setp(Instruction i, Modifiers m, Lowering c) {
    var operator = comparison(m);
    var combine = m.takeOne(BOOLEAN);
    boolean flush = m.take("ftz");
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, combine.isPresent() ? 4 : 3);
    var a = c.source(operands.get(1));
    var b = c.source(operands.get(2));
    Optional<Source> other = combine.map(_ -> c.source(operands.get(3)));
    var pair = operands.getFirst() instanceof Operand.Pair p ? p
        : new Operand.Pair(operands.getFirst(), new Operand.Sink());
    var first = c.destination(pair.first(), PtxType.PRED);
    var second = pair.second() instanceof Operand.Sink ? Optional.<Reg>empty()
        : Optional.of(c.destination(pair.second(), PtxType.PRED));
    var resolved = operatorFor(operator, type);
    var inputs = new ArrayList<>(List.of(a, b));
    other.ifPresent(inputs::add);
    var outputs = new ArrayList<>(List.of(first));
    second.ifPresent(outputs::add);
    c.lane(inputs, outputs, code -> {
      compare(code, resolved, type, a, b, flush);
      second.ifPresent(q -> {
        code.b.dup().loadConstant(1).ixor();
        combine(code, combine, other);
        code.pop(q, PtxType.PRED);
      });
      combine(code, combine, other);
      code.pop(first, PtxType.PRED);
    });
  }

  private static void combine(LaneCode code, Optional<String> combine, Optional<Source> other) {
    if (combine.isEmpty()) return;
    code.push(other.orElseThrow(), PtxType.PRED);
    combine(code, combine.get());
  }

  /** Combines two truth values on the stack. */
  static void combine(LaneCode code, String operation) {
    code.op(switch (operation) {
      case "and" -> Opcode.IAND;
      case "or" -> Opcode.IOR;
      default -> Opcode.IXOR;
    });
  }

  private static void set(Instruction i, Modifiers m, Lowering c) {
    var operator = comparison(m);
    var combine = m.takeOne(BOOLEAN);
    boolean flush = m.take("ftz");
    var result = m.type();
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, combine.isPresent() ? 4 : 3);
    var a = c.source(operands.get(1));
    var b = c.source(operands.get(2));
    Optional<Source> other = combine.map(_ -> c.source(operands.get(3)));
    var to = c.destination(operands.getFirst(), result);
    var resolved = operatorFor(operator, type);
    var inputs = new ArrayList<>(List.of(a, b));
    other.ifPresent(inputs::add);
    c.lane(inputs, List.of(to), code -> {
      compare(code, resolved, type, a, b, flush);
      combine(code, combine, other);
      switch (result) {
        case U32, S32, B32 -> code.op(Opcode.INEG);
        case F32 -> code.b.i2f();
        default -> throw new Unsupported("set to " + result.text());
      }
      code.pop(to, result);
    });
  }

  private static void select(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, 4);
    var sources = operands.subList(1, 4).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    c.lane(sources, List.of(to), code -> {
      code.push(sources.get(2), PtxType.PRED);
      code.b.ifThenElse(Opcode.IFNE, _ -> code.push(sources.get(0), type), _ -> code.push(sources.get(1), type));
      code.pop(to, type);
    });
  }

  private static void signSelect(Instruction i, Modifiers m, Lowering c) {
    boolean flush = m.take("ftz");
    var type = m.type();
    var by = m.type();
    m.requireNone();
    if (by != PtxType.S32 && by != PtxType.F32) throw new Unsupported("slct by " + by.text());
    var operands = c.operands(i, 4);
    var sources = operands.subList(1, 4).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    var zero = by == PtxType.S32 ? Source.of(0) : new Source.Constant(0, PtxType.F32);
    c.lane(sources, List.of(to), code -> {
      compare(code, "ge", by, sources.get(2), zero, flush && by == PtxType.F32);
      code.b.ifThenElse(Opcode.IFNE, _ -> code.push(sources.get(0), type), _ -> code.push(sources.get(1), type));
      code.pop(to, type);
    });
  }
}
