package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertLinesMatch;

import java.util.List;
import tilewright.layout.Dialect;

/** The derivation of an expression's last operation. */
final class Explain {
  private Explain() {}

  static List<String> lines(String text, Dialect dialect) {
    return Expression.parse(text).explain(dialect).steps().getLast().because();
  }

  /** @param expected a line each, with its indentation; {@code …} at a line's end for what this test leaves open */
  static void assertLines(String expected, String text) {
    assertLines(expected, text, Dialect.CUTE_CPP);
  }

  static void assertLines(String expected, String text, Dialect dialect) {
    assertLinesMatch(expected.lines().map(Explain::pattern).toList(), lines(text, dialect));
  }

  private static String pattern(String line) {
    if (!line.endsWith("…")) return line;
    return "\\Q" + line.substring(0, line.length() - 1) + "\\E.+";
  }
}
