package tilewright.layout.syntax;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads one expression by recursive descent:
 *
 * <pre>
 * expression  = operand {("∘" | "o") operand}
 * operand     = primary [("→" | "-&gt;") primary] [":" primary] {"(" [expression {"," expression}] ")"}
 * primary     = term {"+" term} | "^" integer | "_" ["{}"]
 *             | "(" … ")" | "[" … "]" | "&lt;" … "&gt;" | name ["&lt;" … "&gt;"] ["{}"] ["(" … ")"]
 * term        = integer {"@" integer} ["{}"]
 * </pre>
 *
 * What CuTe C++ and the Python DSL write is read too: {@link CuteSpelling}.
 */
public final class Parser {
  public static final int LONGEST = 1 << 16;
  private static final int DEEPEST = 64;
  private static final String OPERAND = "an integer, a tuple, a tiler or an operation";

  private final String text;
  private int at;
  private int depth;

  private Parser(String text) {
    this.text = text;
  }

  /** @throws LayoutSyntaxException with the position of what is wrong */
  public static Node parse(String text) {
    if (text.length() > LONGEST) throw new LayoutSyntaxException(text, LONGEST, "at most " + LONGEST + " characters");
    var parser = new Parser(text);
    var node = parser.expression();
    if (parser.at < text.length()) throw parser.expected("the end");
    return node;
  }

  private Node expression() {
    var left = operand();
    // Chains nest to the left, and what walks them recurses.
    for (int length = 0; looksAtComposition(); length++) {
      if (length == DEEPEST) throw expected("at most " + DEEPEST + " compositions in a row");
      int position = at;
      boolean spelled = text.charAt(at++) == 'o';
      var right = operand();
      if (spelled && right instanceof Node.Number offset && looksAt('o')) {
        at++;
        left = new Node.Composed(left, offset, operand());
      } else {
        left = new Node.Composition(left, right, position);
      }
    }
    return left;
  }

  private Node operand() {
    var node = primary();
    if (looksAtArrow()) {
      at += text.charAt(at) == '→' ? 1 : 2;
      var codomain = primary();
      take(':');
      node = new Node.Morphism(node, codomain, primary());
    } else if (looksAt(':')) {
      int colon = at++;
      node = new Node.Strided(node, primary(), colon);
    }
    for (int length = 0; looksAt('('); length++) {
      if (length == DEEPEST) throw expected("at most " + DEEPEST + " coordinates in a row");
      int position = at;
      var coordinates = list('(', ')');
      var coordinate = coordinates.size() == 1 ? coordinates.getFirst() : new Node.Tuple(coordinates, position);
      node = new Node.Application(node, coordinate, position);
    }
    return node;
  }

  private Node primary() {
    skipSpace();
    int position = at;
    if (at == text.length()) throw expected(OPERAND);
    char c = text.charAt(at);
    if (c == '(') return new Node.Tuple(list('(', ')'), position);
    if (c == '[') return new Node.ByMode(list('[', ']'), position);
    if (c == '<') return new Node.ByMode(list('<', '>'), position);
    if (c == '_') {
      at++;
      // CuTe prints static integers as _4.
      if (at < text.length() && isDigit(text.charAt(at))) return sum();
      skipBraces();
      return new Node.Free(position);
    }
    if (c == '-' || isDigit(c)) return sum();
    if (c == '^') return xor();
    if (isLetter(c)) return named();
    throw expected(OPERAND);
  }

  private Node sum() {
    var terms = new ArrayList<>(List.of(term()));
    while (looksAt('+')) {
      at++;
      skipSpace();
      terms.add(term());
    }
    return terms.size() == 1 ? terms.getFirst() : new Node.Sum(List.copyOf(terms), terms.getFirst().position());
  }

  private Node xor() {
    int position = at;
    take('^');
    skipSpace();
    return new Node.Xor(integer(), position);
  }

  private Node term() {
    int position = at;
    long value = integer();
    skipBraces();
    if (!looksAt('@')) return new Node.Number(value, position);
    var path = new ArrayList<Integer>();
    while (looksAt('@')) {
      at++;
      path.add(index());
    }
    return new Node.Basis(value, List.copyOf(path), position);
  }

  private Node named() {
    int position = at;
    var name = name();
    if (name.startsWith("_")) {
      at -= name.length();
      return primary();
    }
    var parameters = looksAt('<') ? list('<', '>') : List.<Node>of();
    if (CuteSpelling.isType(name, parameters)) {
      skipBraces();
      return CuteSpelling.type(name, parameters, position)
          .orElseThrow(() -> expected(position, "the parameters of CuTe's " + name));
    }
    return switch (name) {
      case "Sw", "S", "Swizzle" -> {
        skipBraces();
        yield swizzle(parameters, position);
      }
      case "E" -> {
        skipBraces();
        yield basis(parameters.isEmpty() && looksAt('(') ? list('(', ')') : parameters, position);
      }
      default -> {
        if (!looksAt('(')) throw expected(position, OPERAND + " with its operands in parentheses");
        var operands = new ArrayList<>(operands());
        operands.addAll(parameters);
        yield CuteSpelling.call(name, List.copyOf(operands), position)
            .orElseThrow(() -> expected(position, "the operands of CuTe's " + name));
      }
    };
  }

  /** Reads a name, without the name space or module in front of it. */
  private String name() {
    while (true) {
      int begin = at;
      while (at < text.length() && isInName(text.charAt(at))) at++;
      var name = text.substring(begin, at);
      int separator = text.startsWith("::", at) ? 2 : text.startsWith(".", at) ? 1 : 0;
      boolean namespace = separator > 0 && CuteSpelling.NAMESPACES.contains(name) && at + separator < text.length()
          && isInName(text.charAt(at + separator));
      if (!namespace) return name;
      at += separator;
    }
  }

  /** Operands in parentheses; Python's may have keywords, and {@code mode=[0,1]} follows them like {@code <0,1>}. */
  private List<Node> operands() {
    if (++depth > DEEPEST) throw expected("at most " + DEEPEST + " nested brackets");
    take('(');
    var operands = new ArrayList<Node>();
    var modes = new ArrayList<Node>();
    while (!looksAt(')')) {
      if (!operands.isEmpty() || !modes.isEmpty()) {
        if (!looksAt(',')) break;
        at++;
        // Python allows a comma at the end.
        if (looksAt(')')) break;
      }
      int position = at;
      var keyword = keyword();
      if (keyword.equals("mode")) {
        modes.addAll(looksAt('[') ? list('[', ']') : List.of(expression()));
      } else {
        if (!keyword.isEmpty() && !CuteSpelling.isKeyword(keyword, operands.size())) {
          throw expected(position, "a keyword that names operand " + (operands.size() + 1));
        }
        operands.add(expression());
      }
    }
    take(')');
    depth--;
    operands.addAll(modes);
    return operands;
  }

  /** Reads {@code stride=} and the like; empty where there is none. */
  private String keyword() {
    int begin = at;
    while (at < text.length() && isInName(text.charAt(at))) at++;
    var name = text.substring(begin, at);
    if (!name.isEmpty() && looksAt('=')) {
      at++;
      return name;
    }
    at = begin;
    return "";
  }

  private void skipBraces() {
    if (!looksAt('{')) return;
    at++;
    take('}');
  }

  private Node swizzle(List<Node> parameters, int position) {
    if (parameters.size() != 3) throw expected(position, "three integers in a swizzle, as in Sw<3,4,3>");
    return new Node.Swizzled(plain(parameters.get(0)), plain(parameters.get(1)), plain(parameters.get(2)), position);
  }

  /** {@code E<0,1>} is {@code 1@1@0}: CuTe's type names the outermost mode first, its text last. */
  private Node basis(List<Node> parameters, int position) {
    var path = new ArrayList<Integer>();
    for (int i = parameters.size() - 1; i >= 0; i--) {
      var parameter = parameters.get(i);
      long index = plain(parameter);
      if (index < 0 || index > Integer.MAX_VALUE) throw expected(parameter.position(), "the index of a mode");
      path.add((int) index);
    }
    return path.isEmpty() ? new Node.Number(1, position) : new Node.Basis(1, List.copyOf(path), position);
  }

  private long plain(Node node) {
    if (node instanceof Node.Number number) return number.value();
    throw expected(node.position(), "an integer");
  }

  private List<Node> list(char open, char close) {
    if (++depth > DEEPEST) throw expected("at most " + DEEPEST + " nested brackets");
    take(open);
    var elements = new ArrayList<Node>();
    if (!looksAt(close)) {
      elements.add(expression());
      while (looksAt(',') || open != '(' && looksAt(';')) {
        at++;
        // Python writes a tuple of one element as (4,).
        if (open == '(' && elements.size() == 1 && looksAt(close)) break;
        elements.add(expression());
      }
    }
    take(close);
    depth--;
    return List.copyOf(elements);
  }

  private long integer() {
    int begin = at;
    if (at < text.length() && text.charAt(at) == '-') at++;
    while (at < text.length() && isDigit(text.charAt(at))) at++;
    try {
      return Long.parseLong(text.substring(begin, at));
    } catch (NumberFormatException _) {
      throw expected(begin, "an integer of at most 64 bits");
    }
  }

  private int index() {
    skipSpace();
    int begin = at;
    long value = integer();
    if (value < 0 || value > Integer.MAX_VALUE) throw expected(begin, "the index of a mode");
    return (int) value;
  }

  private boolean looksAtComposition() {
    return looksAt('∘') || looksAt('o');
  }

  private boolean looksAtArrow() {
    return looksAt('→') || text.startsWith("->", at);
  }

  private boolean looksAt(char c) {
    skipSpace();
    return at < text.length() && text.charAt(at) == c;
  }

  private void take(char c) {
    if (!looksAt(c)) throw expected("'" + c + "'");
    at++;
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isInName(char c) {
    return isLetter(c) || isDigit(c) || c == '_';
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }

  private LayoutSyntaxException expected(String what) {
    return expected(at, what);
  }

  private LayoutSyntaxException expected(int position, String what) {
    return new LayoutSyntaxException(text, position, what);
  }
}
