package tilewright.playground;

import tilewright.layout.decision.Decision;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.ExpressionException;
import tilewright.layout.expression.Value;
import tilewright.layout.syntax.LayoutSyntaxException;

/** The answer of the algebra to an expression. */
sealed interface Answer {

  record Known(Value value) implements Answer {}

  /**
   * An operation in the expression is undefined.
   *
   * @param position where the operation begins, counted from 0
   */
  record Refused(int position, Decision.Undefined<?> reason) implements Answer {}

  /**
   * The text is no expression, or an operation cannot be called so.
   *
   * @param position where the mistake begins, counted from 0
   */
  record Wrong(int position, String message) implements Answer {}

  static Answer of(Question question) {
    try {
      return new Known(Expression.parse(question.expression()).evaluate(question.spelling().dialect()));
    } catch (LayoutSyntaxException e) {
      return new Wrong(e.position(), e.getMessage());
    } catch (ExpressionException e) {
      return e.reason().<Answer>map(reason -> new Refused(e.position(), reason))
          .orElseGet(() -> new Wrong(e.position(), e.getMessage()));
    } catch (ArithmeticException _) {
      return new Wrong(0, "column 1: a size or an offset does not fit 64 bits");
    } catch (IllegalArgumentException e) {
      return new Wrong(0, "column 1: " + e.getMessage());
    }
  }
}
