package tilewright.ptx;

/** Text that is no PTX: says where, what stands there and what was expected instead. */
public final class PtxSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;
  private final String offending;
  private final String expected;

  PtxSyntaxException(int line, int column, String offending, String expected) {
    super("line " + line + ", column " + column + ": found " + quoted(offending) + ", expected " + expected);
    this.line = line;
    this.column = column;
    this.offending = offending;
    this.expected = expected;
  }

  private static String quoted(String text) {
    return text.isEmpty() ? "the end of the text" : "'" + text + "'";
  }

  /** Counted from 1. */
  public int line() {
    return line;
  }

  /** Counted from 1; a tab is one column. */
  public int column() {
    return column;
  }

  /** The text that could not be read; empty at the end of the text. */
  public String offending() {
    return offending;
  }

  /** A description of what was expected in its place. */
  public String expected() {
    return expected;
  }
}
