package tilewright.simulator.compiler.arithmetic;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Video;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Video instructions on one value: {@code vadd} to {@code vmad} (PTX ISA, Scalar Video Instructions). */
public final class VideoLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> L = long.class;
  private static final Class<?> Z = boolean.class;
  private static final Pattern SELECTED = Pattern.compile("(.+)\\.(b[0-3]|h[01])");
  private static final Set<String> COMPARISONS = Set.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final Set<String> SECOND = Set.of("add", "min", "max");
  private static final Set<PtxType> WORDS = Set.of(PtxType.U32, PtxType.S32);

  private VideoLowering() {}

  /** An operand, the piece of it that is meant, and whether that is signed. */
  private record Selected(Operand operand, Video.Part part, boolean signed) {
    static Selected of(Operand operand, PtxType type) {
      var match = name(operand).map(SELECTED::matcher).filter(Matcher::matches);
      boolean signed = LaneCode.isSigned(type);
      if (match.isEmpty()) return new Selected(operand, Video.Part.WORD, signed);
      var part = Video.Part.valueOf(match.get().group(2).toUpperCase(Locale.ROOT));
      return new Selected(new Operand.Register(match.get().group(1)), part, signed);
    }

    void push(LaneCode code, Source source) {
      code.push(source, PtxType.B32).b.loadConstant(part.ordinal()).loadConstant(signed ? 1 : 0);
      code.call(Video.class, "part", L, I, I, Z);
    }
  }

  private static Optional<String> name(Operand operand) {
    return switch (operand) {
      case Operand.Register(var name) -> Optional.of(name);
      case Operand.Symbol(var name) -> Optional.of(name);
      default -> Optional.empty();
    };
  }

  private static PtxType word(Modifiers m) {
    var type = m.type();
    if (!WORDS.contains(type)) throw new Unsupported("a video instruction of " + type.text());
    return type;
  }

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    var destination = Selected.of(c.operands(i, 3, 4).getFirst(), PtxType.U32);
    boolean compares = i.opcode().equals("vset");
    boolean multiplies = i.opcode().equals("vmad");
    var type = compares ? Optional.<PtxType>empty() : Optional.of(word(m));
    var typeA = word(m);
    var typeB = word(m);
    boolean saturates = m.take("sat");
    if (multiplies) {
      multiply(i, m, c, saturates, typeA, typeB);
      return;
    }
    var second = m.takeOne(SECOND);
    int operation = operation(i, m, compares).ordinal();
    m.requireNone();
    boolean merges = destination.part() != Video.Part.WORD;
    if (merges && second.isPresent() || compares && saturates) {
      throw new Unsupported("there is no " + i.opcode() + "." + String.join(".", i.modifiers()));
    }
    boolean signed = LaneCode.isSigned(type.orElse(typeA));
    emit(i, c, destination.operand(), typeA, typeB, merges || second.isPresent(), (code, third) -> {
      code.b.loadConstant(operation);
      code.call(Video.class, "apply", L, L, L, I);
      finish(code, third, new Finish(operation, saturates, signed, destination.part(), second));
    });
  }

  /** The treatment of an operation's result. */
  private record Finish(int operation, boolean saturates, boolean signed, Video.Part part, Optional<String> second) {}

  private static void finish(LaneCode code, Source third, Finish f) {
    var constants = code.push(third, PtxType.B32).b.loadConstant(f.operation());
    if (f.part() != Video.Part.WORD) {
      constants.loadConstant(f.saturates() ? 1 : 0).loadConstant(f.signed() ? 1 : 0)
          .loadConstant(f.part().ordinal());
      code.call(Video.class, "merge", I, L, I, I, Z, Z, I);
    } else if (f.second().filter(s -> !s.equals("add")).isPresent()) {
      constants.loadConstant(f.saturates() ? 1 : 0).loadConstant(f.signed() ? 1 : 0)
          .loadConstant(f.second().get().equals("max") ? 1 : 0);
      code.call(Video.class, "extremum", I, L, I, I, Z, Z, Z);
    } else {
      constants.loadConstant(f.saturates() ? 1 : 0).loadConstant(f.signed() ? 1 : 0);
      code.call(Video.class, "sum", I, L, I, I, Z, Z);
    }
  }

  private static void multiply(Instruction i, Modifiers m, Lowering c, boolean saturates, PtxType typeA,
      PtxType typeB) {
    int plus = m.take("po") ? 1 : 0;
    int shift = m.take("shr7") ? 7 : m.take("shr15") ? 15 : 0;
    m.requireNone();
    var operands = c.operands(i, 4);
    boolean lessProduct = isNegated(operands.get(1)) || isNegated(operands.get(2));
    boolean lessThird = isNegated(operands.get(3));
    boolean signed = lessProduct || lessThird || LaneCode.isSigned(typeA) || LaneCode.isSigned(typeB);
    emit(i, c, operands.getFirst(), typeA, typeB, true, (code, third) -> {
      code.push(third, PtxType.B32).b.loadConstant(lessProduct ? 1 : 0).loadConstant(lessThird ? 1 : 0)
          .loadConstant(plus).loadConstant(shift).loadConstant(saturates ? 1 : 0).loadConstant(signed ? 1 : 0);
      code.call(Video.class, "multiplyAdd", I, L, L, I, Z, Z, I, I, Z, Z);
    });
  }

  private static boolean isNegated(Operand operand) {
    return operand instanceof Operand.Negated;
  }

  /** A register without its sign, which only {@code vmad} may have there. */
  private static Operand magnitude(Instruction i, Operand operand) {
    return i.opcode().equals("vmad") && operand instanceof Operand.Negated(var inner) ? inner : operand;
  }

  /** Emits an operation on two parts and, where it has one, a third operand. */
  private static void emit(Instruction i, Lowering c, Operand destination, PtxType typeA, PtxType typeB,
      boolean takesThird, BiConsumer<LaneCode, Source> operation) {
    var operands = c.operands(i, takesThird ? 4 : 3);
    var a = Selected.of(magnitude(i, operands.get(1)), typeA);
    var b = Selected.of(magnitude(i, operands.get(2)), typeB);
    var third = takesThird ? c.source(magnitude(i, operands.get(3))) : Source.of(0);
    var sources = List.of(c.source(a.operand()), c.source(b.operand()), third);
    var to = c.destination(destination, PtxType.B32);
    c.lane(sources, List.of(to), code -> {
      a.push(code, sources.get(0));
      b.push(code, sources.get(1));
      operation.accept(code, third);
      code.pop(to, PtxType.B32);
    });
  }

  private static Video.Operation operation(Instruction i, Modifiers m, boolean compares) {
    var name = compares ? m.takeOne(COMPARISONS).orElseThrow(() -> new Unsupported("vset without comparison"))
        : i.opcode();
    if (name.equals("vshl") || name.equals("vshr")) {
      if (m.take("wrap")) {
        name += "_wrap";
      } else {
        m.require("clamp");
      }
    }
    return Video.Operation.valueOf(name.toUpperCase(Locale.ROOT));
  }
}
