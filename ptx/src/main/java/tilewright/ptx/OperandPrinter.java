package tilewright.ptx;

import java.util.List;
import java.util.stream.Collectors;

/** Writes operands as nvcc does: integers decimal, floats by their bits. */
final class OperandPrinter {
  private OperandPrinter() {}

  static String join(List<Operand> operands) {
    return operands.stream().map(OperandPrinter::print).collect(Collectors.joining(", "));
  }

  static String print(Operand operand) {
    return switch (operand) {
      case Operand.Register(String name) -> name;
      case Operand.Special(String name) -> name;
      case Operand.Symbol(String name) -> name;
      case Operand.Integer(long value) -> Long.toString(value);
      case Operand.Float(PtxType type, long bits) -> (type == PtxType.F32 ? "0f%08X" : "0d%016X").formatted(bits);
      case Operand.Vector(var elements) -> "{" + join(elements) + "}";
      case Operand.Address(Operand base, long offset, var coordinates) -> "[" + print(base) + signed(offset)
          + (coordinates.isEmpty() ? "" : ", " + join(coordinates)) + "]";
      case Operand.Offset(Operand.Symbol symbol, long offset) -> symbol.name() + "+" + offset;
      case Operand.Masked(long mask, Operand address) -> "0x" + Long.toHexString(mask) + "(" + print(address) + ")";
      case Operand.Pair(Operand first, Operand second) -> print(first) + "|" + print(second);
      case Operand.Not(Operand inner) -> "!" + print(inner);
      case Operand.Negated(Operand inner) -> "-" + print(inner);
      case Operand.Sink() -> "_";
      case Operand.Group(var elements) -> "(" + join(elements) + ")";
    };
  }

  private static String signed(long offset) {
    return offset == 0 ? "" : "+" + offset;
  }
}
