package tilewright.cli.layout;

import tilewright.cli.io.CommandFailure;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;
import tilewright.layout.morphism.TupleMorphism;

/** Expressions that commands take where they need a layout. */
final class LayoutExpression {
  private LayoutExpression() {}

  /** @throws CommandFailure with the expression and what is wrong with it */
  static Value valueOrFail(String text) {
    try {
      return Expression.parse(text).evaluate();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(LayoutProblem.of(e).line(text));
    }
  }

  /** @throws CommandFailure if the layout is not tractable */
  static TupleMorphism standardFormOrFail(OffsetMap map) {
    if (!(map instanceof Layout layout)) {
      throw CommandFailure.badInput("no morphism realises " + map + ": it has a swizzle");
    }
    return switch (TupleMorphism.tryStandardForm(layout)) {
      case Decision.Defined<TupleMorphism> defined -> defined.result();
      case Decision.Undefined<TupleMorphism> undefined -> throw CommandFailure.badInput(undefined.message());
    };
  }

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
