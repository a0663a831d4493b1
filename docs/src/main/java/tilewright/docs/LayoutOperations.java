package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tilewright.docs.source.BrokenSiteException;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Pictures;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.ExpressionException;
import tilewright.layout.expression.Operations;
import tilewright.layout.expression.Value;

/**
 * The page of layout operations: law, condition, example, counter-example and picture of each. The algebra itself
 * evaluates the examples while the page is built.
 */
final class LayoutOperations {
  static final List<Entry> ENTRIES = List.of(
      new Entry("coalesce", "R(i) = A(i) for each i below size(A), and R has the fewest modes.",
          "None: every layout has one. Neighbouring modes merge where the second goes on where the first ends,"
              + " d~1~ = s~0~ · d~0~.",
          "coalesce((2,(1,6)):(1,(6,2)))", "coalesce((2,4):(4,1))", false),
      new Entry("composition", "R(i) = A(B(i)) for each i below size(B), and R's shape refines B's.",
          "Each stride of B splits at the modes of A, and no coordinate of B carries from one mode of A to the next.",
          "composition((6,2):(8,2), (4,3):(3,1))", "composition((6,2):(1,7), (3,2):(2,3))", true),
      new Entry("complement", "(A, A*) reaches every integer below the bound, each of A's offsets with each of A*'s"
              + " once; A* is ordered.",
          "Sorted by stride, each mode of A begins at a multiple of the place where the one below it ends.",
          "complement((2,2):(1,6), 24)", "complement((2,3):(3,2), 12)", true),
      new Entry("right_inverse", "A(R(i)) = i for each i below size(R), and no longer R has this.",
          "None: every layout has one; it has one element where offset 1 is missing.",
          "right_inverse((2,4):(4,1))", "right_inverse((2,4):(8,2))", false),
      new Entry("left_inverse", "L(A(i)) = i for each i below size(A).",
          "No two indices share an offset, and a layout can map the offsets back.",
          "left_inverse((2,4):(8,2))", "left_inverse((4,2):(1,2))", true),
      new Entry("max_common_layout", "A(R(i)) = B(R(i)) = i for each i below size(R), and no longer R has this.",
          "None: every pair has one. Its size is the widest vector that copies between A and B.",
          "max_common_layout((4,8):(8,1), (4,8):(16,1))", "max_common_layout((4,8):(8,1), (4,8):(1,4))", false),
      new Entry("logical_divide", "R = A ∘ (T, T*), where T* is the complement of the tile T in size(A): mode 0 is"
              + " one tile, mode 1 goes from tile to tile.",
          "T has a complement in size(A), and A composes with both.",
          "logical_divide((8,16):(16,1), [4:1;2:8])", "logical_divide((4,6):(1,8), 3:1)", true),
      new Entry("zipped_divide", "The modes of logical_divide regrouped: ((tiles of all modes), (rests of all modes)).",
          "That of logical_divide.", "zipped_divide((8,16):(16,1), [4;2])",
          "zipped_divide(((4,6),4):((1,8),64), [3;2])", true),
      new Entry("logical_product", "R = (A, A* ∘ B), where A* is the complement of A in size(A) · cosize(B): mode 0 is"
              + " A, mode 1 goes from copy to copy.",
          "A has that complement, and it composes with B.",
          "logical_product((2,2):(4,1), 6:1)", "logical_product((2,3):(3,2), 4:1)", true),
      new Entry("blocked_product", "logical_product at equal ranks, by mode (A, B): the copies stand side by side.",
          "That of logical_product.", "blocked_product((2,4):(4,1), (3,2):(2,1))",
          "blocked_product((2,3):(3,2), (2,2):(1,2))", true),
      new Entry("raked_product", "logical_product at equal ranks, by mode (B, A): the copies interleave.",
          "That of logical_product.", "raked_product((2,4):(4,1), (3,2):(2,1))",
          "raked_product((2,3):(3,2), (2,2):(1,2))", true),
      new Entry("tile_to_shape", "The blocked product of A that has the given shape.",
          "Each extent of the shape is a multiple of A's, and the blocked product is defined.",
          "tile_to_shape((2,2):(2,1), (4,6))", "tile_to_shape((2,2):(2,1), (3,6))", true),
      new Entry("upcast", "n · R counts the offsets of A in units of n elements.",
          "Of each stride and n, one divides the other, and what merges fills whole units.",
          "upcast((4,8):(8,1), 4)", "upcast((4,6):(6,1), 4)", true),
      new Entry("downcast", 
          "R counts the offsets of A in units of 1/n element; its mode of stride 1 is n times longer.",
          "A has a mode of stride 1: the parts of an element are neighbours.",
          "downcast((4,8):(8,1), 2)", "downcast((4,2):(2,8), 2)", true));

  private LayoutOperations() {}

  /**
   * One operation.
   *
   * @param condition under which it is defined
   * @param counter an expression for which it is undefined, or the least that it gives
   * @param partial whether the counter-example is undefined
   */
  record Entry(String name, String law, String condition, String example, String counter, boolean partial) {}

  static void write(Path generated, Path images) throws IOException {
    var page = new StringBuilder();
    for (var entry : ENTRIES) {
      var picture = picture(entry);
      var file = "operation-" + entry.name().replace('_', '-') + ".svg";
      Files.writeString(images.resolve(file), picture.toSvg());
      page.append(section(entry, file, picture.title()));
    }
    Files.writeString(generated.resolve("layout-operations.adoc"), page.toString());
  }

  private static String section(Entry entry, String file, String title) {
    var operation = Operations.groups().stream().flatMap(group -> group.operations().stream())
        .filter(o -> o.name().equals(entry.name())).findFirst().orElseThrow();
    return """
        == %s

        `+%s+`: %s.

        Law:: pass:c[%s]
        Defined if:: %s
        Example:: `+%s+` is `+%s+`
        %s:: `+%s+` is %s

        image::%s[%s]

        """.formatted(entry.name(), operation.signature(), operation.description(), entry.law(), entry.condition(),
        entry.example(), Expression.parse(entry.example()).evaluate(),
        entry.partial() ? "Counter-example" : "Edge case", entry.counter(), counter(entry), file, title);
  }

  /** The answer of the algebra to the counter-example. */
  static String counter(Entry entry) {
    try {
      var value = Expression.parse(entry.counter()).evaluate();
      if (!entry.partial()) return "`+" + value + "+`";
    } catch (ExpressionException e) {
      if (entry.partial()) return "refused: `+" + e.getMessage().replaceFirst("^column \\d+: ", "") + "+`";
    }
    throw new BrokenSiteException(List.of(entry.counter() + " is " + (entry.partial() ? "defined" : "undefined")));
  }

  /** The example's operands and result. */
  private static Picture picture(Entry entry) {
    var operands = operands(entry.example());
    return switch (entry.name()) {
      case "composition" -> Pictures.composition(Layout.parse(operands.get(0)), Layout.parse(operands.get(1)));
      case "logical_divide" -> Pictures.division(Layout.parse(operands.get(0)), Tiler.parse(operands.get(1)));
      case "logical_product", "blocked_product" ->
          Pictures.product(Layout.parse(operands.get(0)), Layout.parse(operands.get(1)));
      default -> result(entry.example());
    };
  }

  private static Picture result(String example) {
    if (Expression.parse(example).evaluate() instanceof Value.Mapping(var map)) return Pictures.offsets(map);
    throw new BrokenSiteException(List.of(example + " is no layout"));
  }

  /** The operands of a call, split at the commas outside brackets. */
  static List<String> operands(String call) {
    var operands = new ArrayList<String>();
    int begin = call.indexOf('(') + 1;
    for (int i = begin, depth = 0; i < call.length(); i++) {
      var c = call.charAt(i);
      if (depth == 0 && (c == ',' || i == call.length() - 1)) {
        operands.add(call.substring(begin, i).strip());
        begin = i + 1;
      }
      if ("([".indexOf(c) >= 0) depth++;
      if (")]".indexOf(c) >= 0) depth--;
    }
    return operands;
  }
}
