package tilewright.layout;

/** Text that is not in CuTe's notation. */
public final class LayoutSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int position;

  LayoutSyntaxException(String text, int position, String expected) {
    super("position " + (position + 1) + " of '" + text + "': expected " + expected
        + (position < text.length() ? ", found '" + text.charAt(position) + "'" : ", found the end"));
    this.position = position;
  }

  /** Where the text is wrong, counted from 0. */
  public int position() {
    return position;
  }
}
