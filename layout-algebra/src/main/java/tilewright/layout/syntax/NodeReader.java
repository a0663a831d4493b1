package tilewright.layout.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Reads values from the tree of one text; a node of another kind is an error that shows where it stands. */
public final class NodeReader {
  private final String text;

  private NodeReader(String text) {
    this.text = text;
  }

  /**
   * Parses a text and reads its tree by a rule.
   *
   * @throws LayoutSyntaxException with the position of what is wrong
   */
  public static <T> T read(String text, BiFunction<NodeReader, Node, T> rule) {
    return rule.apply(new NodeReader(text), Parser.parse(text));
  }

  /** Reads each node by a rule. */
  public static <T> List<T> each(List<Node> nodes, Function<Node, T> rule) {
    var values = new ArrayList<T>();
    for (var node : nodes) values.add(rule.apply(node));
    return values;
  }

  /** The error that something else is expected at a position. */
  public LayoutSyntaxException expected(int position, String what) {
    return new LayoutSyntaxException(text, position, what);
  }
}
