package tilewright.docs.html;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds text that AsciiDoc took for markup, and markup that it took for text: {@code `(_,(1,_))`} loses its underscores to
 * emphasis, {@code 2^(a - b)^} keeps its carets because of the spaces.
 */
public final class LiteralCheck {
  private static final Pattern BLOCK = Pattern.compile("(?s)<pre\\b.*?</pre>|<svg\\b.*?</svg>|<script\\b.*?</script>");
  private static final Pattern CODE = Pattern.compile("(?s)<code\\b[^>]*>(.*?)</code>");
  /** Formatting, and the characters that Asciidoctor puts for {@code --}, {@code ...}, {@code ->}, {@code '}, {@code (C)}. */
  private static final Pattern FORMATTED =
      Pattern.compile("<(?:em|strong|sub|sup|mark|a)\\b|&#(?:8212|8230|859[2-5]|865[68]|8217|8216|822[01]|169|174|8482);");
  private static final Pattern RAW = Pattern.compile("\\S*(?:\\^|`|\\bxref:|\\blink:)\\S*");

  private LiteralCheck() {}

  /** One line a fault, naming the page and the text as it is shown. */
  public static List<String> faults(Page page) {
    var faults = new ArrayList<String>();
    var html = BLOCK.matcher(page.title() + " " + page.body()).replaceAll(" ");
    CODE.matcher(html).results().map(match -> match.group(1)).filter(code -> FORMATTED.matcher(code).find())
        .forEach(code -> faults.add(page.path() + ": AsciiDoc changed the literal '" + Html.text(code)
            + "'; write it as `+…+`"));
    RAW.matcher(Html.text(CODE.matcher(html).replaceAll("code"))).results().map(match -> match.group())
        .forEach(text -> faults.add(page.path() + ": '" + text + "' shows its markup"));
    return faults;
  }
}
