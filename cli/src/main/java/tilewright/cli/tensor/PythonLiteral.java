package tilewright.cli.tensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the Python literals that occur in {@code .npy} headers: dictionaries, tuples, lists, strings, integers, True
 * and False. They become {@code Map}, {@code List}, {@code String}, {@code Long} and {@code Boolean}.
 */
final class PythonLiteral {
  /** Deeper nesting than any header has, far from the end of the stack. */
  private static final int MAX_DEPTH = 16;

  private final String text;
  private int at;
  private int depth;

  private PythonLiteral(String text) {
    this.text = text;
  }

  /** @throws IllegalArgumentException if the text is not one dictionary with string keys */
  static Map<String, Object> parseDictionary(String text) {
    var parser = new PythonLiteral(text);
    var result = parser.dictionary();
    if (parser.peek() != 0) throw parser.unexpected();
    return result;
  }

  private Map<String, Object> dictionary() {
    var entries = new HashMap<String, Object>();
    expect('{');
    while (peek() != '}') {
      var key = string();
      expect(':');
      entries.put(key, value());
      if (peek() != '}') expect(',');
    }
    expect('}');
    return entries;
  }

  private Object value() {
    if (++depth > MAX_DEPTH) throw unexpected();
    var result = switch (peek()) {
      case '{' -> dictionary();
      case '(' -> sequence('(', ')');
      case '[' -> sequence('[', ']');
      case '\'', '"' -> string();
      default -> word();
    };
    depth--;
    return result;
  }

  private List<Object> sequence(char open, char close) {
    var values = new ArrayList<>();
    expect(open);
    while (peek() != close) {
      values.add(value());
      if (peek() != close) expect(',');
    }
    expect(close);
    return values;
  }

  private String string() {
    var quote = peek();
    if (quote != '\'' && quote != '"') throw unexpected();
    var end = text.indexOf(quote, at + 1);
    if (end < 0) throw unexpected();
    var result = text.substring(at + 1, end);
    at = end + 1;
    return result;
  }

  private Object word() {
    var start = at;
    while (at < text.length() && isPartOfWord(text.charAt(at))) at++;
    var word = text.substring(start, at);
    // Python 2 wrote long integers as 3L.
    var digits = word.endsWith("L") ? word.substring(0, word.length() - 1) : word;
    try {
      return switch (word) {
        case "True" -> true;
        case "False" -> false;
        default -> Long.valueOf(digits);
      };
    } catch (NumberFormatException _) {
      at = start;
      throw unexpected();
    }
  }

  private static boolean isPartOfWord(char c) {
    return Character.isLetterOrDigit(c) || "-+.".indexOf(c) >= 0;
  }

  private char peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void expect(char expected) {
    if (peek() != expected) throw unexpected();
    at++;
  }

  private IllegalArgumentException unexpected() {
    var found = at < text.length() ? printable(text.substring(at, Math.min(text.length(), at + 12))) : "end of text";
    return new IllegalArgumentException(
        "its header is not a Python dictionary: unexpected " + found + " at column " + at);
  }

  private static String printable(String raw) {
    return "'" + raw.replaceAll("\\P{Print}", "?") + "'";
  }
}
