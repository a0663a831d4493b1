package tilewright.ptx;

import java.math.BigInteger;

/** Reads number tokens (PTX ISA, Constants): integers of four bases, bit patterns of floats, decimal floats. */
final class Literals {
  private Literals() {}

  static Operand parse(Token token) {
    String text = token.text();
    try {
      char second = text.length() > 1 ? Character.toLowerCase(text.charAt(1)) : ' ';
      boolean prefixed = text.charAt(0) == '0' && second >= 'a';
      if (prefixed && second == 'f') return bits(token, PtxType.F32, 8);
      if (prefixed && second == 'd') return bits(token, PtxType.F64, 16);
      boolean decimal = text.indexOf('.') >= 0 || text.indexOf('e') >= 0 || text.indexOf('E') >= 0;
      return decimal && second != 'x' ? Operand.Float.of(decimal(text)) : new Operand.Integer(integer(token));
    } catch (NumberFormatException e) {
      throw token.unexpected("a number");
    }
  }

  private static double decimal(String text) {
    // Java also reads the suffixes of its own literals
    if (!Character.isDigit(text.charAt(text.length() - 1))) throw new NumberFormatException(text);
    return Double.parseDouble(text);
  }

  private static Operand bits(Token token, PtxType type, int digits) {
    if (token.text().length() != 2 + digits) throw token.unexpected(digits + " hexadecimal digits after its prefix");
    return new Operand.Float(type, Long.parseUnsignedLong(token.text(), 2, 2 + digits, 16));
  }

  private static long integer(Token token) {
    String text = token.text();
    if (text.endsWith("U")) text = text.substring(0, text.length() - 1);
    if (text.startsWith("0x") || text.startsWith("0X")) return unsigned(token, text.substring(2), 16);
    if (text.startsWith("0b") || text.startsWith("0B")) return unsigned(token, text.substring(2), 2);
    boolean octal = text.length() > 1 && text.startsWith("0");
    return unsigned(token, text, octal ? 8 : 10);
  }

  private static long unsigned(Token token, String digits, int radix) {
    // a number that is too long is told from one that is malformed
    if (digits.length() < 16) return Long.parseUnsignedLong(digits, radix);
    var value = new BigInteger(digits, radix);
    if (value.bitLength() > 64) throw token.unexpected("an integer of at most 64 bits");
    return value.longValue();
  }
}
