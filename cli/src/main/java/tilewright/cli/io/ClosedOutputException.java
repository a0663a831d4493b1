package tilewright.cli.io;

/** Ends a command whose results nobody can read any more: unchecked, so that no writer between swallows it. */
public final class ClosedOutputException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final boolean readerGone;

  private ClosedOutputException(boolean readerGone, String message) {
    super(message);
    this.readerGone = readerGone;
  }

  /** @param reason what the operating system said */
  public static ClosedOutputException of(String reason) {
    // The text of EPIPE, which Java has no exception for.
    return new ClosedOutputException("Broken pipe".equals(reason), "standard output cannot be written: " + reason);
  }

  /** Whether the other end of a pipe was closed, as {@code head} does: nothing is wrong then, and nothing to say. */
  boolean readerGone() {
    return readerGone;
  }
}
