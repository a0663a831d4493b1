package tilewright.docs.source;

/** Lines of a listing that are too long for a page. */
public final class LongLines {
  private static final int WIDTH = 110;

  private LongLines() {}

  /** Breaks long lines at spaces, and indents their rest alike. */
  public static String wrapped(String text) {
    var result = new StringBuilder();
    for (var line : text.lines().toList()) {
      var indent = line.substring(0, line.length() - line.stripLeading().length());
      while (line.length() > WIDTH && line.lastIndexOf(' ', WIDTH) > indent.length()) {
        int end = line.lastIndexOf(' ', WIDTH);
        result.append(line, 0, end).append('\n');
        line = indent + line.substring(end + 1);
      }
      result.append(line).append('\n');
    }
    return result.toString();
  }
}
