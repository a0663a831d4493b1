package tilewright.ptx;

import java.util.List;
import java.util.Optional;

/** Tokens with one of lookahead, and the questions a recursive-descent parser asks them. */
final class TokenStream {
  private static final int MAX_DEPTH = 200;
  /** Tokens from one check to the next. */
  private static final int CHECKED = 1024;

  private final Lexer lexer;
  private Optional<Token> ahead = Optional.empty();
  private final Runnable check;
  private long read;
  private int depth;

  /** @param check called now and then: it may end the work */
  TokenStream(String text, Runnable check) {
    lexer = new Lexer(text);
    this.check = check;
  }

  Token peek() {
    if (ahead.isEmpty()) {
      if (++read % CHECKED == 0) check.run();
      ahead = Optional.of(lexer.next());
    }
    return ahead.get();
  }

  Token take() {
    var token = peek();
    ahead = Optional.empty();
    return token;
  }

  /** The comments on lines of their own in front of the next token. */
  List<String> comments() {
    peek();
    return lexer.comments();
  }

  boolean at(String text) {
    return peek().is(text);
  }

  boolean at(Token.Kind kind) {
    return peek().kind() == kind;
  }

  boolean accept(String text) {
    if (!at(text)) return false;
    take();
    return true;
  }

  void expect(String text) {
    if (!accept(text)) throw peek().unexpected("'" + text + "'");
  }

  Token expect(Token.Kind kind, String what) {
    if (!at(kind)) throw peek().unexpected(what);
    return take();
  }

  /** A name without dots, such as a variable's or a label's. */
  String plainName(String what) {
    var token = expect(Token.Kind.NAME, what);
    if (token.text().indexOf('.') >= 0 || token.text().indexOf(':') >= 0 || token.is("%")) {
      throw token.unexpected(what);
    }
    return token.text();
  }

  /** An integer, with its sign if it has one. */
  long integer(String what) {
    boolean negative = accept("-");
    var token = expect(Token.Kind.NUMBER, what);
    if (!(Literals.parse(token) instanceof Operand.Integer(long value))) throw token.unexpected(what);
    return negative ? -value : value;
  }

  /** A non-negative count that fits an {@code int}. */
  int count(String what) {
    var token = peek();
    long value = integer(what);
    if (value < 0 || value > Integer.MAX_VALUE) throw token.unexpected(what);
    return (int) value;
  }

  /** Called at every opening bracket: bounds the recursion, whatever the text. */
  void enter(Token bracket) {
    if (++depth > MAX_DEPTH) throw bracket.unexpected("nesting of at most " + MAX_DEPTH + " levels");
  }

  void leave() {
    depth--;
  }
}
