package tilewright.playground;

import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.Parser;

/** The swizzle that an expression names first, and the expression with another one. */
final class SwizzleText {
  private static final Pattern LITERAL =
      Pattern.compile("\\b(?:Sw|S|Swizzle)\\s*<\\s*(\\d+)\\s*,\\s*(\\d+)\\s*,\\s*(-?\\d+)\\s*>");
  private static final Pattern IN_FRONT = Pattern.compile("^\\s*" + LITERAL + "(?:\\{\\})?\\s*o\\s*0\\s*o\\s*");

  private SwizzleText() {}

  static Optional<Swizzle> first(String expression) {
    var literal = LITERAL.matcher(expression);
    try {
      return literal.find() ? Optional.of(new Swizzle(Integer.parseInt(literal.group(1)),
          Integer.parseInt(literal.group(2)), Integer.parseInt(literal.group(3)))) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** The expression with its first swizzle replaced, or with one in front where it names none. */
  static String with(String expression, Swizzle swizzle) {
    var literal = LITERAL.matcher(expression);
    if (literal.find()) return expression.substring(0, literal.start()) + swizzle + expression.substring(literal.end());
    var chain = Parser.parse(expression) instanceof Node.Composition;
    return swizzle + " o 0 o " + (chain ? "(" + expression + ")" : expression);
  }

  static boolean isInFront(String expression) {
    return IN_FRONT.matcher(expression).find();
  }

  /** The expression without the swizzle in front of it. */
  static String without(String expression) {
    return IN_FRONT.matcher(expression).replaceFirst("");
  }

  /** The legal swizzle closest to what was set: |S| is at least B, whichever of the two was moved. */
  static Swizzle legal(int bits, int base, int shift) {
    return Math.abs(shift) >= bits ? new Swizzle(bits, base, shift)
        : new Swizzle(bits, base, shift < 0 ? -bits : bits);
  }
}
