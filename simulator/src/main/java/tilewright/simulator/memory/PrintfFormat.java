package tilewright.simulator.memory;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Formats text as C's printf does (ISO C, 7.21.6.1). Arguments come from a buffer as the compiler lays them out for
 * vprintf: integers in 4 or 8 bytes, floating-point numbers and pointers in 8, each at a multiple of its size.
 */
final class PrintfFormat {
  private static final Pattern CONVERSION =
      Pattern.compile("%([-+ #0]*)(\\*|\\d+)?(?:\\.(\\*|\\d*))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])");
  private static final int WORD = 4;
  private static final int LONG = 8;
  private static final int DEFAULT_PRECISION = 6;

  private final Arguments arguments;
  private final LongFunction<String> strings;
  private int offset;

  /** Reads 4 or 8 bytes of the argument buffer. */
  interface Arguments {
    long read(int offset, int bytes);
  }

  /** One conversion with its modifiers read. */
  private record Conversion(String flags, int width, int precision, boolean wide, int bits, char kind) {
    boolean has(char flag) {
      return flags.indexOf(flag) >= 0;
    }

    Conversion with(String newFlags, int newWidth) {
      return new Conversion(newFlags, newWidth, precision, wide, bits, kind);
    }
  }

  private PrintfFormat(Arguments arguments, LongFunction<String> strings) {
    this.arguments = arguments;
    this.strings = strings;
  }

  /** @param strings the text at an address */
  static String format(String format, Arguments arguments, LongFunction<String> strings) {
    var printer = new PrintfFormat(arguments, strings);
    return CONVERSION.matcher(format).replaceAll(m -> Matcher.quoteReplacement(printer.conversion(m)));
  }

  private long next(int bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    offset += bytes;
    return arguments.read(offset - bytes, bytes);
  }

  /** A number in the format or, for a star, the next argument; {@code absent} if there is none. */
  private int number(String text, int absent) {
    if (text == null) return absent;
    return text.equals("*") ? (int) next(WORD) : text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  private String conversion(MatchResult m) {
    char kind = m.group(5).charAt(0);
    if (kind == '%') return "%";
    int width = number(m.group(2), 0);
    int precision = number(m.group(3), -1);
    var length = m.group(4) == null ? "" : m.group(4);
    int bits = length.equals("hh") ? Byte.SIZE : length.equals("h") ? Short.SIZE : Integer.SIZE;
    boolean wide = "ll".contains(length) && !length.isEmpty() || "jzt".contains(length) && !length.isEmpty();
    // A negative width from an argument means left, as its flag does.
    var conversion = new Conversion(m.group(1) + (width < 0 ? "-" : ""), Math.abs(width), precision, wide, bits, kind);
    return switch (kind) {
      case 'd', 'i' -> signed(conversion);
      case 'u', 'o', 'x', 'X' -> unsigned(conversion);
      case 'c' -> pad(conversion.with(conversion.flags().replace("0", ""), conversion.width()), "",
          String.valueOf((char) (next(WORD) & 0xFF)));
      case 's' -> string(conversion);
      case 'p' -> pad(conversion.with(conversion.flags().replace("0", ""), conversion.width()), "",
          pointer(next(LONG)));
      case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A' -> floating(conversion);
      default -> m.group();
    };
  }

  private static String pointer(long address) {
    return address == 0 ? "(nil)" : "0x" + Long.toHexString(address);
  }

  private String string(Conversion c) {
    long address = next(LONG);
    var text = address == 0 ? "(null)" : strings.apply(address);
    if (c.precision() >= 0 && c.precision() < text.length()) text = text.substring(0, c.precision());
    return pad(c.with(c.flags().replace("0", ""), c.width()), "", text);
  }

  private String signed(Conversion c) {
    long value = c.wide() ? next(LONG) : (int) next(WORD);
    if (c.bits() < Integer.SIZE) value = value << Long.SIZE - c.bits() >> Long.SIZE - c.bits();
    var digits = value < 0 ? Long.toString(value).substring(1) : Long.toString(value);
    return integer(c, sign(c, value < 0), digits);
  }

  private static String sign(Conversion c, boolean negative) {
    return negative ? "-" : c.has('+') ? "+" : c.has(' ') ? " " : "";
  }

  private String unsigned(Conversion c) {
    long value = c.wide() ? next(LONG) : next(WORD) & 0xFFFF_FFFFL;
    if (c.bits() < Integer.SIZE) value &= (1L << c.bits()) - 1;
    var digits = switch (c.kind()) {
      case 'u' -> Long.toUnsignedString(value);
      case 'o' -> Long.toOctalString(value);
      case 'x' -> Long.toHexString(value);
      default -> Long.toHexString(value).toUpperCase(Locale.ROOT);
    };
    boolean marked = c.has('#') && value != 0;
    if (marked && c.kind() == 'o') digits = "0" + digits;
    return integer(c, marked && (c.kind() == 'x' || c.kind() == 'X') ? "0" + c.kind() : "", digits);
  }

  private static String integer(Conversion c, String prefix, String digits) {
    if (c.precision() < 0) return pad(c, prefix, digits);
    var body = c.precision() == 0 && digits.equals("0") ? "" : "0".repeat(Math.max(0, c.precision() - digits.length()))
        + digits;
    return pad(c.with(c.flags().replace("0", ""), c.width()), prefix, body);
  }

  private static String pad(Conversion c, String prefix, String body) {
    int fill = c.width() - prefix.length() - body.length();
    if (fill <= 0) return prefix + body;
    if (c.has('-')) return prefix + body + " ".repeat(fill);
    return c.has('0') ? prefix + "0".repeat(fill) + body : " ".repeat(fill) + prefix + body;
  }

  private String floating(Conversion c) {
    double value = Double.longBitsToDouble(next(LONG));
    boolean upper = Character.isUpperCase(c.kind());
    var sign = sign(c, Double.doubleToRawLongBits(value) < 0);
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      var name = Double.isNaN(value) ? "nan" : "inf";
      return pad(c.with(c.flags().replace("0", ""), c.width()), sign, upper ? name.toUpperCase(Locale.ROOT) : name);
    }
    double magnitude = Math.abs(value);
    int precision = c.precision() < 0 ? DEFAULT_PRECISION : c.precision();
    var body = switch (Character.toLowerCase(c.kind())) {
      case 'f' -> fixed(magnitude, precision, c.has('#'));
      case 'e' -> exponential(magnitude, precision, c.has('#'));
      case 'g' -> general(magnitude, Math.max(precision, 1), c.has('#'));
      default -> Double.toHexString(magnitude).replace(".0p", "p").replaceFirst("p(?=\\d)", "p+");
    };
    if (upper) body = body.toUpperCase(Locale.ROOT);
    return body.startsWith("0x") || body.startsWith("0X") ? pad(c, sign + body.substring(0, 2), body.substring(2))
        : pad(c, sign, body);
  }

  private static String fixed(double value, int precision, boolean point) {
    var text = new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
    return point && precision == 0 ? text + "." : text;
  }

  private static String exponential(double value, int precision, boolean point) {
    var digits = "0".repeat(precision + 1);
    int exponent = 0;
    if (value != 0) {
      var rounded = new BigDecimal(value).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
      exponent = rounded.precision() - rounded.scale() - 1;
      var unscaled = rounded.unscaledValue().toString();
      digits = (unscaled + "0".repeat(precision + 1)).substring(0, precision + 1);
    }
    var fraction = precision > 0 ? "." + digits.substring(1) : point ? "." : "";
    return digits.charAt(0) + fraction + (exponent < 0 ? "e-" : "e+") + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  /** The shorter of the two, by the exponent that the exponential form would have. */
  private static String general(double value, int precision, boolean keepZeros) {
    var scientific = exponential(value, precision - 1, keepZeros);
    int exponent = Integer.parseInt(scientific.substring(scientific.indexOf('e') + 1));
    boolean isFixed = exponent >= -4 && exponent < precision;
    var text = isFixed ? fixed(value, precision - 1 - exponent, keepZeros) : scientific;
    if (keepZeros) return text;
    int end = isFixed ? text.length() : text.indexOf('e');
    var number = text.substring(0, end);
    if (number.indexOf('.') >= 0) number = number.replaceFirst("\\.?0+$", "");
    return number + text.substring(end);
  }
}
