package tilewright.ptx;

import java.util.List;

/** An operand of an instruction. Names are as written, with the percent sign where there is one. */
public sealed interface Operand {
  /** The operand as {@link PtxPrinter} writes it, such as {@code [%rd1+4]}; messages show it so. */
  default String text() {
    return OperandPrinter.print(this);
  }

  /** A register or an element of a vector register ({@code %v1.x}). */
  record Register(String name) implements Operand {}

  /** A predefined read-only register such as {@code %tid.x} or {@code %clock64}. */
  record Special(String name) implements Operand {}

  /** A variable, label or function used by name. */
  record Symbol(String name) implements Operand {}

  /** An integer; unsigned 64-bit values keep their bits. */
  record Integer(long value) implements Operand {}

  /** A floating-point constant by its bits: {@code 0f3F800000} (F32) or {@code 0d3FF0000000000000} (F64). */
  record Float(PtxType type, long bits) implements Operand {
    public static Float of(float value) {
      return new Float(PtxType.F32, java.lang.Float.floatToRawIntBits(value) & 0xFFFFFFFFL);
    }

    public static Float of(double value) {
      return new Float(PtxType.F64, Double.doubleToRawLongBits(value));
    }
  }

  /** {@code {a, b, …}}. */
  record Vector(List<Operand> elements) implements Operand {
    public Vector {
      elements = List.copyOf(elements);
    }
  }

  /**
   * {@code [base+offset]}, or {@code [base, {c0, c1}]} for tensor coordinates.
   *
   * @param base a register, a symbol or an absolute integer address
   * @param coordinates further operands inside the brackets; empty for a plain address
   */
  record Address(Operand base, long offset, List<Operand> coordinates) implements Operand {
    public Address {
      coordinates = List.copyOf(coordinates);
    }

    public Address(Operand base, long offset) {
      this(base, offset, List.of());
    }
  }

  /** {@code symbol+offset} as a value, as initializers and {@code mov} take it. */
  record Offset(Symbol symbol, long offset) implements Operand {}

  /** {@code 0xFF00(symbol)}: one byte of an address, as an initializer of bytes takes it. */
  record Masked(long mask, Operand address) implements Operand {}

  /** {@code p|q}: two destinations. */
  record Pair(Operand first, Operand second) implements Operand {}

  /** {@code !p}. */
  record Not(Operand operand) implements Operand {}

  /** {@code -a}: the negative of a register, as {@code vmad} takes it. */
  record Negated(Operand operand) implements Operand {}

  /** {@code _}: a result nobody wants. */
  record Sink() implements Operand {}

  /** {@code (a, b)}: the results or arguments of a {@code call}. */
  record Group(List<Operand> elements) implements Operand {
    public Group {
      elements = List.copyOf(elements);
    }
  }
}
