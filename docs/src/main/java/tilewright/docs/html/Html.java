package tilewright.docs.html;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The little of HTML that the site needs. */
public final class Html {
  private static final Pattern REFERENCE = Pattern.compile("\\s(?:href|src)=\"([^\"]*)\"");
  private static final Pattern LINK = Pattern.compile("<a\\s(?:[^>]*\\s)?href=\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\\sid=\"([^\"]*)\"");

  /** Tags within a word or a sentence; every other one ends a word. */
  private static final Pattern INLINE_TAG = Pattern.compile("</?(?:a|b|code|em|i|mark|span|strong|sub|sup)\\b[^>]*>");
  private static final Pattern DRAWING = Pattern.compile("(?s)<svg\\b.*?</svg>");
  private static final Pattern CHARACTER = Pattern.compile("&(?:#(\\d+)|\\w+);");
  private static final Map<String, String> NAMED =
      Map.of("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", "\"", "&nbsp;", " ");

  private Html() {}

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }

  /** The text that a reader sees of markup, on one line. */
  public static String text(String html) {
    var inline = INLINE_TAG.matcher(DRAWING.matcher(html).replaceAll(" ")).replaceAll("");
    return unescape(inline.replaceAll("<[^>]*>", " ")).replaceAll("\\s+", " ").strip();
  }

  /** Replaces the references to characters that Asciidoctor writes; any other stays, and is a fault of the build. */
  private static String unescape(String html) {
    return CHARACTER.matcher(html).replaceAll(match -> Matcher.quoteReplacement(
        match.group(1) == null ? NAMED.getOrDefault(match.group(), match.group())
            : Character.toString(Integer.parseInt(match.group(1)))));
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
