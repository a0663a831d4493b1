package tilewright.layout.syntax;

/** Text that is not in CuTe's notation. */
public final class LayoutSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;
  /** Characters of the text that a message shows before and after the mistake. */
  private static final int AROUND = 30;

  private final int position;

  /**
   * @param position where the text is wrong, counted from 0; its length for what is missing at the end
   * @param expected what would be right there
   */
  public LayoutSyntaxException(String text, int position, String expected) {
    super("column " + (position + 1) + " of '" + window(text, position) + "': expected " + expected
        + (position < text.length() ? ", found '" + printable(text.substring(position, end(text, position))) + "'"
            : ", found the end"));
    this.position = position;
  }

  /** Where the text is wrong, counted from 0. */
  public int position() {
    return position;
  }

  private static String window(String text, int position) {
    int begin = Math.max(0, position - AROUND);
    int end = Math.min(text.length(), position + AROUND);
    return (begin > 0 ? "…" : "") + printable(text.substring(begin, end)) + (end < text.length() ? "…" : "");
  }

  private static int end(String text, int position) {
    return position + Character.charCount(text.codePointAt(position));
  }

  /** The text, with codes for characters that could disturb a terminal or a log, or turn a line around. */
  private static String printable(String text) {
    var printable = new StringBuilder();
    for (char c : text.toCharArray()) {
      if (isShown(c)) printable.append(c);
      else printable.append("\\u").append(Integer.toHexString(c | 0x10000), 1, 5);
    }
    return printable.toString();
  }

  private static boolean isShown(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
          Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }
}
