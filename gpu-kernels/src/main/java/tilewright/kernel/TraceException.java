package tilewright.kernel;

/** A kernel that cannot be: a layout contract it violates, or a value used where it does not exist. */
public final class TraceException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  public TraceException(String message) {
    super(message);
  }
}
