package tilewright.simulator.compiler.arithmetic;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Compare;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.FloatClass;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfClamps;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Comparisons and selections. */
public final class PredicateLowering {
  private static final Set<String> ORDERED = Set.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final Set<String> UNSIGNED = Set.of("lo", "ls", "hi", "hs");
  private static final Set<String> UNORDERED = Set.of("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan");
  private static final Set<String> BOOLEAN = Set.of("and", "or", "xor");
  private static final Set<String> PROPERTIES =
      Set.of("finite", "infinite", "number", "notanumber", "normal", "subnormal");
  private static final int ONE_F16 = 0x3C00;
  private static final int ONE_BF16 = 0x3F80;

  private PredicateLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "setp" -> setp(i, m, c);
      case "set" -> set(i, m, c);
      case "selp" -> select(i, m, c);
      case "testp" -> test(i, m, c);
      default -> signSelect(i, m, c);
    }
  }

  private static String comparison(Modifiers m) {
    return m.takeOne(ORDERED).or(() -> m.takeOne(UNSIGNED)).or(() -> m.takeOne(UNORDERED))
        .orElseThrow(() -> new Unsupported("no comparison operator"));
  }

  /** A comparison of two operands; of pairs, the halves that begin at bit {@code shift}. */
  private record Comparison(String operator, PtxType type, Source a, Source b, boolean flush, int shift) {

    Comparison upper() {
      return new Comparison(operator, type, a, b, flush, 16);
    }

    /** Leaves 0 or 1 on the stack. */
    void emit(LaneCode code) {
      push(code, a);
      push(code, b);
      Class<?> j = FloatLowering.isFloat(type) ? double.class
          : Reg.kindOf(type) == Reg.Kind.LONG ? long.class : int.class;
      code.call(Compare.class, operator, boolean.class, j, j);
    }

    private void push(LaneCode code, Source s) {
      code.push(s, type);
      if (isPair(type)) {
        code.b.loadConstant(shift).iushr().loadConstant(0xFFFF).iand();
      }
      switch (type) {
        case F32 -> {
          if (flush) code.call(FloatMath.class, "flush", float.class, float.class);
          code.b.f2d();
        }
        case F16, F16X2 -> {
          if (flush) code.call(HalfClamps.class, "flushF16", int.class, int.class);
          code.call(Conversions.class, "fromF16", float.class, int.class).b.f2d();
        }
        case BF16, BF16X2 -> code.call(Conversions.class, "fromBf16", float.class, int.class).b.f2d();
        default -> {}
      }
    }
  }

  private static boolean isPair(PtxType type) {
    return type == PtxType.F16X2 || type == PtxType.BF16X2;
  }

  private static String operatorFor(String operator, PtxType type) {
    boolean floating = FloatLowering.isFloat(type);
    if (type == PtxType.F32X2) throw new Unsupported("comparison of f32x2");
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
    var results = new ArrayList<>(List.of(c.destination(pair.first(), PtxType.PRED)));
    if (!(pair.second() instanceof Operand.Sink)) results.add(c.destination(pair.second(), PtxType.PRED));
    var comparison = new Comparison(operatorFor(operator, type), type, a, b, flush, 0);
    // The second result is the upper half's, or the opposite.
    var compared = new ArrayList<Reg>();
    for (var to : results) compared.add(combine.isPresent() ? c.temp(PtxType.PRED) : to);
    c.lane(List.of(a, b), compared, code -> {
      comparison.emit(code);
      if (compared.size() == 2) {
        if (isPair(type)) {
          comparison.upper().emit(code);
        } else {
          code.b.dup().loadConstant(1).ixor();
        }
        code.b.swap();
      }
      for (var to : compared) code.pop(to, PtxType.PRED);
    });
    combine.ifPresent(operation -> combine(operation, compared, other.orElseThrow(), results, c));
  }

  /** Combines each of some predicates with another, which may be one of the destinations. */
  private static void combine(String operation, List<Reg> values, Source other, List<Reg> to, Lowering c) {
    var kept = c.temp(PtxType.PRED);
    c.move(other, kept, PtxType.PRED);
    for (int k = 0; k < to.size(); k++) combine(operation, Source.of(values.get(k)), Source.of(kept), to.get(k), c);
  }

  /** Emits {@code and}, {@code or} or {@code xor} of two predicates. */
  static void combine(String operation, Source a, Source b, Reg to, Lowering c) {
    c.lane(List.of(a, b), List.of(to), Flow.Logic.of(operation, a, b, PtxType.PRED), code -> {
      code.push(a, PtxType.PRED).push(b, PtxType.PRED);
      combine(code, operation);
      code.pop(to, PtxType.PRED);
    });
  }

  private static void combine(LaneCode code, Optional<String> combine, Optional<Source> other) {
    if (combine.isEmpty()) return;
    code.push(other.orElseThrow(), PtxType.PRED);
    combine(code, combine.get());
  }

  /** Combines two truth values on the stack. */
  private static void combine(LaneCode code, String operation) {
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
    if (isPair(type) && result == PtxType.F32) throw new Unsupported("set to f32 from " + type.text());
    var operands = c.operands(i, combine.isPresent() ? 4 : 3);
    var a = c.source(operands.get(1));
    var b = c.source(operands.get(2));
    Optional<Source> other = combine.map(_ -> c.source(operands.get(3)));
    var to = c.destination(operands.getFirst(), result);
    var comparison = new Comparison(operatorFor(operator, type), type, a, b, flush, 0);
    var inputs = new ArrayList<>(List.of(a, b));
    other.ifPresent(inputs::add);
    c.lane(inputs, List.of(to), code -> {
      comparison.emit(code);
      combine(code, combine, other);
      truth(code, result, isPair(type));
      if (isPair(type)) {
        comparison.upper().emit(code);
        combine(code, combine, other);
        truth(code, result, true);
        code.b.loadConstant(16).ishl().ior();
      }
      code.pop(to, result);
    });
  }

  /** Turns 0 or 1 on the stack into the value of a type that stands for it, of 16 bits for a half of a pair. */
  private static void truth(LaneCode code, PtxType result, boolean half) {
    switch (result) {
      case U16, S16, U32, S32 -> {
        code.op(Opcode.INEG);
        if (half) code.b.loadConstant(0xFFFF).iand();
      }
      case F32 -> code.b.i2f();
      case F16, F16X2 -> code.b.loadConstant(ONE_F16).imul();
      case BF16, BF16X2 -> code.b.loadConstant(ONE_BF16).imul();
      default -> throw new Unsupported("set to " + result.text());
    }
  }

  private static void test(Instruction i, Modifiers m, Lowering c) {
    var property = m.takeOne(PROPERTIES).orElseThrow(() -> new Unsupported("testp without property"));
    var type = m.type();
    m.requireNone();
    boolean narrow = type == PtxType.F32;
    boolean byFormat = property.endsWith("normal");
    Class<?> j = narrow && byFormat ? float.class : double.class;
    Elementwise.of(i, c, PtxType.PRED, List.of(type), code -> {
      if (narrow && !byFormat) code.b.f2d();
      code.call(FloatClass.class, property, boolean.class, j);
    });
  }

  private static void select(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, 4);
    var sources = operands.subList(1, 4).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), type);
    var flow = Flow.Logic.select(sources.get(0), sources.get(1), sources.get(2), type);
    c.lane(sources, List.of(to), flow, code -> {
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
      new Comparison("ge", by, sources.get(2), zero, flush && by == PtxType.F32, 0).emit(code);
      code.b.ifThenElse(Opcode.IFNE, _ -> code.push(sources.get(0), type), _ -> code.push(sources.get(1), type));
      code.pop(to, type);
    });
  }
}
