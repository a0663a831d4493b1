package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads CuTe's notation: tuples, layouts, tilers, swizzles and composed layouts. */
final class Notation {
  private static final int DEEPEST = 64;

  private final String text;
  private int at;
  private int depth;

  private Notation(String text) {
    this.text = text;
  }

  static IntTuple tuple(String text) {
    return whole(text, Notation::tuple);
  }

  static Layout layout(String text) {
    return whole(text, Notation::layout);
  }

  static Tiler tiler(String text) {
    return whole(text, Notation::tiler);
  }

  static OffsetMap offsetMap(String text) {
    return whole(text, n -> n.looksAt("Sw") ? n.composed() : n.layout());
  }

  static Swizzle swizzle(String text) {
    return whole(text, Notation::swizzle);
  }

  private static <T> T whole(String text, Function<Notation, T> rule) {
    var notation = new Notation(text);
    T value = rule.apply(notation);
    notation.skipSpace();
    if (notation.at < text.length()) throw notation.expected("the end");
    return value;
  }

  private IntTuple tuple() {
    if (!looksAt("(")) return IntTuple.of(number());
    return IntTuple.of(list('(', ',', ')', this::tuple));
  }

  private Layout layout() {
    var shape = tuple();
    if (!looksAt(":")) return Layout.columnMajor(shape);
    int colon = at;
    take(':');
    var stride = tuple();
    if (!shape.isCongruentTo(stride)) {
      throw new LayoutSyntaxException(text, colon, "strides with the tree of " + shape + " (got " + stride + ")");
    }
    if (shape.leaves().anyMatch(extent -> extent < 0)) throw new LayoutSyntaxException(text, 0, "extents of at least 0");
    return Layout.of(shape, stride);
  }

  private Tiler tiler() {
    if (looksAt("_")) {
      take('_');
      return new Tiler.Keep();
    }
    if (looksAt("[")) return new Tiler.ByMode(list('[', ';', ']', this::tiler));
    if (looksAt("<")) return new Tiler.ByMode(list('<', ';', '>', this::tiler));
    var layout = layout();
    return new Tiler.ByLayout(layout);
  }

  private Swizzle swizzle() {
    skipSpace();
    int begin = at;
    take('S');
    take('w');
    take('<');
    long bits = number();
    take(',');
    long base = number();
    take(',');
    long shift = number();
    take('>');
    try {
      return new Swizzle(Math.toIntExact(bits), Math.toIntExact(base), Math.toIntExact(shift));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new LayoutSyntaxException(text, begin, "a legal swizzle: " + e.getMessage());
    }
  }

  private ComposedLayout composed() {
    var swizzle = swizzle();
    take('o');
    long offset = number();
    take('o');
    return new ComposedLayout(swizzle, offset, layout());
  }

  private <T> List<T> list(char open, char separator, char close, Supplier<T> element) {
    take(open);
    if (++depth > DEEPEST) throw expected("at most " + DEEPEST + " nested tuples");
    var elements = new ArrayList<T>();
    if (!looksAt(String.valueOf(close))) {
      elements.add(element.get());
      while (looksAt(String.valueOf(separator))) {
        take(separator);
        elements.add(element.get());
      }
    }
    take(close);
    depth--;
    return elements;
  }

  private long number() {
    skipSpace();
    int begin = at;
    if (at < text.length() && text.charAt(at) == '-') at++;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
    try {
      return Long.parseLong(text.substring(begin, at));
    } catch (NumberFormatException _) {
      at = begin;
      throw expected("an integer of at most 64 bits");
    }
  }

  private boolean looksAt(String what) {
    skipSpace();
    return text.startsWith(what, at);
  }

  private void take(char c) {
    skipSpace();
    if (at >= text.length() || text.charAt(at) != c) throw expected("'" + c + "'");
    at++;
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }

  private LayoutSyntaxException expected(String what) {
    return new LayoutSyntaxException(text, at, what);
  }
}
