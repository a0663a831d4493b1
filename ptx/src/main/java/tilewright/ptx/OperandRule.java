package tilewright.ptx;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The rule for one operand of an instruction, a column of {@code operands.txt}.
 *
 * @param type a type's text, or T, B, I, F, 1, 2, W for one that the instruction's name tells; or [], #, *
 * @param result whether it takes a result
 * @param wider whether a register may be wider
 * @param vector whether it may be a vector of such
 * @param parts whether it may be a vector of the parts of such
 * @param predicate whether a predicate may stand beside it
 */
record OperandRule(String type, boolean result, boolean wider, boolean vector, boolean parts, boolean predicate) {
  /** Letters for the last type in the name where it must be one of some, and what these are. */
  private static final Map<String, String> RESTRICTED = Map.of("B", "bits (b16, b32, b64) or predicates",
      "I", "integers", "F", "f32 or f64");

  static OperandRule parse(String column) {
    boolean result = column.startsWith("=");
    var rest = result ? column.substring(1) : column;
    boolean wider = rest.startsWith("~");
    if (wider) rest = rest.substring(1);
    boolean predicate = rest.endsWith("|pred");
    if (predicate) rest = rest.substring(0, rest.length() - "|pred".length());
    boolean parts = rest.endsWith("/");
    if (parts) rest = rest.substring(0, rest.length() - 1);
    boolean vector = rest.startsWith("{");
    if (vector) rest = rest.substring(1, rest.length() - 1);
    return new OperandRule(rest, result, wider, vector, parts, predicate);
  }

  /** Says what an instruction's own type is and what it should be, if this rule restricts it. */
  Optional<String> violation(PtxType named) {
    boolean suits = switch (type) {
      case "B" -> named.isUntyped() || named == PtxType.PRED;
      case "I" -> named.isUntyped() || named.isInteger();
      case "F" -> named == PtxType.F32 || named == PtxType.F64;
      default -> true;
    };
    return suits ? Optional.empty()
        : Optional.of("its type is " + named.text() + ", but it takes " + RESTRICTED.get(type));
  }

  /** Says what the operand is and what it should be, such as {@code of type u32, but f32 is needed}. */
  Optional<String> violation(Operand operand, Instruction i, Function<String, Optional<PtxType>> registers) {
    switch (type) {
      case "*" -> {
        return Optional.empty();
      }
      case "[]" -> {
        return operand instanceof Operand.Address ? Optional.empty() : Optional.of("no address in brackets");
      }
      case "#" -> {
        return operand instanceof Operand.Integer ? Optional.empty() : Optional.of("no integer constant");
      }
      default -> {
        var needed = needed(i);
        return needed.flatMap(t -> violation(operand, t, registers));
      }
    }
  }

  /** The type, unless the instruction's name leaves it open. */
  private Optional<PtxType> needed(Instruction i) {
    var m = i.modifiers();
    return switch (type) {
      case "T", "B", "I", "F" -> i.type();
      case "W" -> i.type().flatMap(OperandRule::twice);
      case "1" -> m.size() < 2 ? Optional.empty() : PtxType.parse(m.get(m.size() - 2));
      case "2" -> m.isEmpty() ? Optional.empty() : PtxType.parse(m.getLast());
      default -> PtxType.parse(type);
    };
  }

  private static Optional<PtxType> twice(PtxType narrow) {
    return switch (narrow) {
      case U16 -> Optional.of(PtxType.U32);
      case S16 -> Optional.of(PtxType.S32);
      case U32 -> Optional.of(PtxType.U64);
      case S32 -> Optional.of(PtxType.S64);
      default -> Optional.empty();
    };
  }

  private Optional<String> violation(Operand operand, PtxType needed, Function<String, Optional<PtxType>> registers) {
    return switch (operand) {
      case Operand.Pair(var first, var second) when predicate -> scalar(first, needed, registers)
          .or(() -> scalar(second, PtxType.PRED, registers));
      case Operand.Vector(var elements) when vector -> first(elements, needed, registers);
      // How many parts there may be is the instruction's to say: they are as large as the whole.
      case Operand.Vector _ when parts -> Optional.empty();
      default -> scalar(operand, needed, registers);
    };
  }

  private Optional<String> first(List<Operand> elements, PtxType needed,
      Function<String, Optional<PtxType>> registers) {
    return elements.stream().flatMap(e -> scalar(e, needed, registers).stream()).findFirst();
  }

  private Optional<String> scalar(Operand operand, PtxType needed, Function<String, Optional<PtxType>> registers) {
    return switch (operand) {
      case Operand.Register(var name) -> register(registers.apply(name), needed);
      case Operand.Symbol(var name) when name.equals("WARP_SZ") -> constant(needed);
      case Operand.Symbol(var name) -> {
        var declared = registers.apply(name);
        yield declared.isPresent() || result ? register(declared, needed) : address(needed);
      }
      case Operand.Sink _ -> Optional.empty();
      case Operand _ when result -> Optional.of("no register, but takes the result");
      case Operand.Offset _ -> address(needed);
      // It has 32 or 64 bits, as the program wants it.
      case Operand.Special(var name) when name.equals("%gridid") -> constant(needed);
      case Operand.Special(var name) -> SpecialRegisters.type(name).map(t -> register(Optional.of(t), needed))
          .orElse(Optional.of("a vector, but one element of it is needed"));
      case Operand.Integer _ -> constant(needed);
      case Operand.Float(var given, var _) -> number(given, needed);
      case Operand.Not(var inner) when needed == PtxType.PRED -> scalar(inner, needed, registers);
      default -> Optional.of("no operand of type " + needed.text());
    };
  }

  private Optional<String> register(Optional<PtxType> declared, PtxType needed) {
    return declared.filter(t -> !suits(t, needed))
        .map(t -> "of type " + t.text() + ", but " + needed.text() + " is needed");
  }

  private boolean suits(PtxType given, PtxType needed) {
    if (given == PtxType.PRED || needed == PtxType.PRED) return given == needed;
    if (wider ? given.bits() < needed.bits() : given.bits() != needed.bits()) return false;
    return given.isUntyped() || needed.isUntyped() || given == needed || given.isInteger() && needed.isInteger()
        || given.isPacked() && (needed.isPacked() || needed.isInteger());
  }

  private static Optional<String> constant(PtxType needed) {
    boolean suits = needed.isInteger() || needed.isUntyped() || needed == PtxType.PRED;
    return suits ? Optional.empty() : Optional.of("an integer, but " + needed.text() + " is needed");
  }

  private static Optional<String> number(PtxType given, PtxType needed) {
    boolean suits = needed == PtxType.F32 || needed == PtxType.F64
        || needed.isUntyped() && needed.bits() == given.bits();
    return suits ? Optional.empty() : Optional.of("a number of type " + given.text() + ", but " + needed.text()
        + " is needed");
  }

  private static Optional<String> address(PtxType needed) {
    boolean suits = needed.isInteger() || needed.isUntyped();
    return suits ? Optional.empty() : Optional.of("an address, but " + needed.text() + " is needed");
  }
}
