package tilewright.simulator.compiler.code;

import java.util.List;
import tilewright.ptx.PtxType;

/**
 * How bits that nobody has written reach an operation's result: the rules of Memcheck (Seward and Nethercote, "Using
 * Valgrind to detect undefined value errors with bit-precision", USENIX 2005).
 */
public sealed interface Flow {
  /** One such bit in an operand makes the whole result undefined. */
  Flow MIXED = new Mixed(Long.SIZE);

  /** Parts of {@code part} bits do not mix: one such bit makes its part of the result undefined. */
  record Mixed(int part) implements Flow {}

  /**
   * Bits change their places only, so that the operation acts on undefined bits as it does on values.
   *
   * @param by the operands that say to which places: these very objects
   */
  record Moved(List<Source> by) implements Flow {}

  /** A bit of the result is a function of the bits in its place, by a truth table as {@code lop3} has. */
  record Logic(int table, List<Input> inputs) implements Flow {
    private static final int A = 0xF0;
    private static final int B = 0xCC;
    private static final int C = 0xAA;

    public static Logic not(Source a, PtxType type) {
      return new Logic(~A & 0xFF, List.of(new Input(a, type)));
    }

    /** {@code and}, {@code or} or {@code xor}. */
    public static Logic of(String operation, Source a, Source b, PtxType type) {
      int table = switch (operation) {
        case "and" -> A & B;
        case "or" -> A | B;
        default -> A ^ B;
      };
      return new Logic(table, List.of(new Input(a, type), new Input(b, type)));
    }

    public static Logic select(Source a, Source b, Source predicate, PtxType type) {
      return new Logic(A & C | B & ~C, List.of(new Input(a, type), new Input(b, type),
          new Input(predicate, PtxType.PRED)));
    }
  }

  /** An operand of {@link Logic}; a predicate stands for each bit of a wider result. */
  record Input(Source source, PtxType type) {}

  static Flow moved() {
    return new Moved(List.of());
  }

  /** Arithmetic on a type, which may be one of pairs. */
  static Flow mixed(PtxType type) {
    return switch (type) {
      case F16X2, BF16X2 -> new Mixed(Short.SIZE);
      case F32X2 -> new Mixed(Integer.SIZE);
      default -> MIXED;
    };
  }
}
