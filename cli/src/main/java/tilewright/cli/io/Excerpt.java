package tilewright.cli.io;

/** The beginning of a text that is too long for a message. */
public final class Excerpt {
  private Excerpt() {}

  /** Returns the text, cut behind its first {@code longest} characters. */
  public static String of(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "…";
  }
}
