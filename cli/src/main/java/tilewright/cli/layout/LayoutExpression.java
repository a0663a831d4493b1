package tilewright.cli.layout;

import tilewright.cli.io.CommandFailure;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;

/** Expressions that commands take where they need a layout. */
final class LayoutExpression {
  private LayoutExpression() {}

  /** @throws CommandFailure with the expression and what is wrong with it */
  static OffsetMap evaluateOrFail(String text) {
    try {
      return switch (Expression.parse(text).evaluate()) {
        case Value.Mapping mapping -> mapping.map();
        case Value.Integers shape -> Layout.columnMajor(shape.tuple());
        case Value value -> throw new IllegalArgumentException("needed is a layout, got " + value);
      };
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(LayoutProblem.of(e).line(text));
    }
  }
}
