package tilewright.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;

/**
 * Layouts in CuTe's notation and operations on them, such as {@code logical_divide((8,4):(4,1), 4:2)}. Operations are
 * called as in CuTe; {@code A ∘ B} is {@code composition(A, B)}.
 */
final class LayoutExpression {
  private static final Pattern CALL = Pattern.compile("([a-z_]+)\\s*\\((.*)\\)", Pattern.DOTALL);

  private static final Map<String, Function<Arguments, Layout>> OPERATIONS = new TreeMap<>(Map.ofEntries(
      Map.entry("coalesce", a -> a.count(1, 2) == 1 ? a.layout(0).coalesce() : a.layout(0).coalesce(a.tuple(1))),
      Map.entry("filter", a -> a.only().filter()),
      Map.entry("flatten", a -> a.only().flatten()),
      Map.entry("right_inverse", a -> a.only().rightInverse()),
      Map.entry("left_inverse", a -> a.only().leftInverse()),
      Map.entry("complement", a ->
          a.count(1, 2) == 1 ? a.layout(0).complement() : a.layout(0).complement(a.tuple(1).size())),
      Map.entry("composition", a -> a.first().composition(a.tiler(1))),
      Map.entry("logical_divide", a -> a.first().logicalDivide(a.tiler(1))),
      Map.entry("zipped_divide", a -> a.first().zippedDivide(a.tiler(1))),
      Map.entry("tiled_divide", a -> a.first().tiledDivide(a.tiler(1))),
      Map.entry("flat_divide", a -> a.first().flatDivide(a.tiler(1))),
      Map.entry("logical_product", a -> a.first().logicalProduct(a.layout(1))),
      Map.entry("blocked_product", a -> a.first().blockedProduct(a.layout(1))),
      Map.entry("raked_product", a -> a.first().rakedProduct(a.layout(1))),
      Map.entry("tile_to_shape", a -> a.first().tileToShape(a.tuple(1)))));

  private LayoutExpression() {}

  /** The names of the operations. */
  static List<String> operations() {
    return List.copyOf(OPERATIONS.keySet());
  }

  /**
   * @throws IllegalArgumentException if the text is no expression, or an operation is undefined for its operands
   * @throws ArithmeticException if an offset leaves 64 bits
   */
  static OffsetMap evaluate(String text) {
    var operands = split(text, '∘');
    if (operands.size() > 1) {
      return operands.stream().map(LayoutExpression::layout).reduce(Layout::composition).orElseThrow();
    }
    var call = CALL.matcher(text.strip());
    return call.matches() ? call(call.group(1), call.group(2)) : OffsetMap.parse(text.strip());
  }

  /** @throws CommandFailure with the expression and what is wrong with it */
  static OffsetMap evaluateOrFail(String text) {
    try {
      return evaluate(text);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(text + ": " + e.getMessage());
    }
  }

  private static Layout call(String name, String arguments) {
    var operation = OPERATIONS.get(name);
    if (operation == null) {
      throw new IllegalArgumentException("no operation is called " + name + "; there are "
          + String.join(", ", operations()));
    }
    return operation.apply(new Arguments(name, split(arguments, ',')));
  }

  private static Layout layout(String text) {
    return switch (evaluate(text)) {
      case Layout layout -> layout;
      case OffsetMap composed ->
          throw new IllegalArgumentException(composed + " is swizzled; operations take plain layouts");
    };
  }

  /** Splits where no bracket is open. */
  private static List<String> split(String text, char separator) {
    var parts = new ArrayList<String>();
    var depth = 0;
    var start = 0;
    for (var i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if ("([<".indexOf(c) >= 0) depth++;
      if (")]>".indexOf(c) >= 0) depth--;
      if (c == separator && depth == 0) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return parts;
  }

  private record Arguments(String operation, List<String> texts) {
    int count(int least, int most) {
      if (texts.size() < least || texts.size() > most) {
        throw new IllegalArgumentException(operation + " takes " + (least == most ? "" + least : least + " or " + most)
            + " operands, got " + texts.size());
      }
      return texts.size();
    }

    Layout only() {
      count(1, 1);
      return layout(0);
    }

    Layout first() {
      count(2, 2);
      return layout(0);
    }

    Layout layout(int index) {
      return LayoutExpression.layout(texts.get(index));
    }

    IntTuple tuple(int index) {
      return IntTuple.parse(texts.get(index).strip());
    }

    Tiler tiler(int index) {
      var text = texts.get(index).strip();
      return text.matches("[\\[<_].*") ? Tiler.parse(text) : Tiler.of(layout(index));
    }
  }
}
