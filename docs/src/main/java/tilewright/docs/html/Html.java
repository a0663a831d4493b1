package tilewright.docs.html;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The little of HTML that the site needs. */
public final class Html {
  private static final Pattern REFERENCE = Pattern.compile("\\s(?:href|src)=\"([^\"]*)\"");
  private static final Pattern LINK = Pattern.compile("<a\\s(?:[^>]*\\s)?href=\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\\sid=\"([^\"]*)\"");

  private Html() {}

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }

  /** The text that a reader sees of markup, on one line. */
  public static String text(String html) {
    return html.replaceAll("<[^>]*>", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&#8217;", "’")
        .replaceAll("&#?\\w+;", " ").replaceAll("\\s+", " ").strip();
  }

  /** Everything that a page links to or loads, as written. */
  public static Set<String> references(String html) {
    return REFERENCE.matcher(html).results().map(m -> m.group(1)).collect(Collectors.toCollection(TreeSet::new));
  }

  /** The links of a page; nothing of them is loaded until a reader follows one. */
  static Set<String> links(String html) {
    return LINK.matcher(html).results().map(m -> m.group(1)).collect(Collectors.toSet());
  }

  static Set<String> ids(String html) {
    return ID.matcher(html).results().map(m -> m.group(1)).collect(Collectors.toSet());
  }
}
