package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;

/** Splits PTX text into tokens, one at a time. Comments are skipped; those on a line of their own are kept aside. */
final class Lexer {
  private static final String PUNCTUATION = "{}[]()<>,;:@!|+-=";

  private final String text;
  private int position;
  private int line = 1;
  private int lineStart;
  private boolean lineHasToken;
  private final List<String> comments = new ArrayList<>();

  Lexer(String text) {
    this.text = text;
  }

  /** The comments on lines of their own in front of the last token. */
  List<String> comments() {
    return List.copyOf(comments);
  }

  Token next() {
    comments.clear();
    skipBlanks();
    lineHasToken = true;
    int start = position;
    if (start == text.length()) return token(Token.Kind.END, start, "");
    char c = text.charAt(start);
    if (isNameStart(c)) return name(start);
    if (isDigit(c)) return number(start);
    if (c == '.' && isNameStart(at(start + 1))) return directive(start);
    if (c == '"') return string(start);
    if (PUNCTUATION.indexOf(c) < 0) throw error(start, String.valueOf(c), "a character of PTX");
    position++;
    return token(Token.Kind.PUNCTUATION, start, String.valueOf(c));
  }

  private void skipBlanks() {
    while (position < text.length()) {
      char c = text.charAt(position);
      if (c == '\n') {
        newLine();
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        position++;
      } else if (c == '/' && at(position + 1) == '/') {
        lineComment();
      } else if (c == '/' && at(position + 1) == '*') {
        blockComment();
      } else {
        return;
      }
    }
  }

  private void newLine() {
    position++;
    line++;
    lineStart = position;
    lineHasToken = false;
  }

  private void lineComment() {
    int end = text.indexOf('\n', position);
    if (end < 0) end = text.length();
    if (!lineHasToken) comments.add(commentText(position + 2, end));
    position = end;
  }

  private String commentText(int start, int end) {
    if (end > start && text.charAt(end - 1) == '\r') end--;
    if (end > start && text.charAt(start) == ' ') start++;
    return text.substring(start, end);
  }

  private void blockComment() {
    int end = text.indexOf("*/", position + 2);
    if (end < 0) throw error(position, "/*", "a comment that ends with '*/'");
    while (position < end) {
      if (text.charAt(position) == '\n') newLine();
      else position++;
    }
    position = end + 2;
  }

  private Token name(int start) {
    position++;
    while (true) {
      if (isNamePart(at(position))) {
        position++;
      } else if (at(position) == '.' && isNamePart(at(position + 1))) {
        position += 2;
      } else if (at(position) == ':' && at(position + 1) == ':' && isNamePart(at(position + 2))) {
        position += 3;
      } else {
        return token(Token.Kind.NAME, start, text.substring(start, position));
      }
    }
  }

  private Token directive(int start) {
    position += 2;
    while (isNamePart(at(position))) position++;
    return token(Token.Kind.DIRECTIVE, start, text.substring(start, position));
  }

  private Token number(int start) {
    while (isNamePart(at(position)) || at(position) == '.' && isDigit(at(position + 1)) || isExponentSign(start)) {
      position++;
    }
    return token(Token.Kind.NUMBER, start, text.substring(start, position));
  }

  private boolean isExponentSign(int start) {
    char c = at(position);
    char before = at(position - 1);
    // in 0x1e+4 and 0f3F80001e the letter e is a hexadecimal digit
    boolean hexadecimal = at(start) == '0' && "xXfFdD".indexOf(at(start + 1)) >= 0;
    return (c == '+' || c == '-') && (before == 'e' || before == 'E') && !hexadecimal && isDigit(at(position + 1));
  }

  private Token string(int start) {
    var value = new StringBuilder();
    for (position++; at(position) != '"'; position++) {
      char c = at(position);
      if (c == '\n' || position >= text.length()) throw error(start, "\"" + value, "a string that ends on its line");
      boolean escape = c == '\\' && (at(position + 1) == '"' || at(position + 1) == '\\');
      value.append(escape ? at(++position) : c);
    }
    position++;
    return token(Token.Kind.STRING, start, value.toString());
  }

  private Token token(Token.Kind kind, int start, String value) {
    return new Token(kind, value, line, start - lineStart + 1);
  }

  private PtxSyntaxException error(int start, String offending, String expected) {
    return new PtxSyntaxException(line, start - lineStart + 1, offending, expected);
  }

  private char at(int index) {
    return index < text.length() ? text.charAt(index) : '\0';
  }

  static boolean isNameStart(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) && c != '%' || isDigit(c);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
