package tilewright.layout.decision;

/** An operation has no result for its operands; the message says which condition fails, with numbers and a witness. */
public final class UndefinedOperationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient Decision.Undefined<?> reason;

  UndefinedOperationException(Decision.Undefined<?> reason) {
    super(reason.message());
    this.reason = reason;
  }

  public Decision.Undefined<?> reason() {
    return reason;
  }
}
