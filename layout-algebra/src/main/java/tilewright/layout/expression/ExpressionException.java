package tilewright.layout.expression;

import java.util.Optional;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.UndefinedOperationException;
import tilewright.layout.decision.Witness;

/** An expression that reads well but has no value. */
public final class ExpressionException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int position;
  private final String condition;

  ExpressionException(int position, String condition, String message) {
    super("column " + (position + 1) + ": " + message);
    this.position = position;
    this.condition = condition;
  }

  ExpressionException(int position, UndefinedOperationException cause) {
    super("column " + (position + 1) + ": " + cause.getMessage(), cause);
    this.position = position;
    this.condition = cause.reason().condition();
  }

  /** Where the operation or operand at fault begins, counted from 0. */
  public int position() {
    return position;
  }

  /** The condition that does not hold. */
  public String condition() {
    return condition;
  }

  /** A coordinate at which an undefined operation's equation would fail, if one shows it. */
  public Optional<Witness> witness() {
    return reason().flatMap(Decision.Undefined::witness);
  }

  /** The reason why an operation is undefined; nothing for other mistakes. */
  public Optional<Decision.Undefined<?>> reason() {
    return getCause() instanceof UndefinedOperationException undefined ? Optional.of(undefined.reason())
        : Optional.empty();
  }
}
