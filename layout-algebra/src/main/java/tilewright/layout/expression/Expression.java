package tilewright.layout.expression;

import java.util.ArrayList;
import java.util.Optional;
import tilewright.layout.Dialect;
import tilewright.layout.syntax.LayoutSyntaxException;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.Parser;

/**
 * A text such as {@code logical_divide((8,4):(4,1), [4;2])} or {@code (4,2):(1,4) ∘ 2:4}: literals in CuTe's notation,
 * operations by CuTe's names ({@link Operations}), and values at coordinates, {@code (4,2):(1,4)(3,1)}.
 */
public final class Expression {
  /** Characters that an expression has at most. */
  public static final int LONGEST = Parser.LONGEST;

  private final String text;
  private final Node root;

  private Expression(String text, Node root) {
    this.text = text;
    this.root = root;
  }

  /** @throws LayoutSyntaxException with the position of what is wrong */
  public static Expression parse(String text) {
    return new Expression(text, Parser.parse(text));
  }

  /** Evaluates in the dialect of CuTe C++; see {@link #evaluate(Dialect)}. */
  public Value evaluate() {
    return evaluate(Dialect.CUTE_CPP);
  }

  /**
   * The value of the expression.
   *
   * @param dialect decides where implementations of CuTe differ
   * @throws LayoutSyntaxException if a literal is none
   * @throws ExpressionException if an operation is unknown, undefined, or called with other operands than it takes
   */
  public Value evaluate(Dialect dialect) {
    return new Evaluator(text, dialect, Optional.empty()).value(root);
  }

  /** Explains in the dialect of CuTe C++; see {@link #explain(Dialect)}. */
  public Explanation explain() {
    return explain(Dialect.CUTE_CPP);
  }

  /**
   * How the value comes about, or why there is none.
   *
   * @param dialect decides where implementations of CuTe differ
   * @throws LayoutSyntaxException if a literal is none
   * @throws ExpressionException if an operation is unknown or called with other operands than it takes
   */
  public Explanation explain(Dialect dialect) {
    var steps = new ArrayList<Explanation.Step>();
    try {
      var value = new Evaluator(text, dialect, Optional.of(steps)).value(root);
      return new Explanation(steps, Optional.of(value));
    } catch (ExpressionException e) {
      if (e.reason().isEmpty()) throw e;
      return new Explanation(steps, Optional.empty());
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
