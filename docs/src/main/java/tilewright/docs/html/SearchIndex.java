package tilewright.docs.html;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/** The text of every section as data that the search script reads; a script, because pages may be opened from files. */
public final class SearchIndex {
  private static final Pattern ESCAPED = Pattern.compile("&(?:#x?\\w+|[a-z]{2,8});");

  private SearchIndex() {}

  private record Entry(String href, String title, String text) {}

  /** Texts in which a reference to a character stayed, such as {@code &rarr;}, which a result would show as it is. */
  public static List<String> faults(List<Page> pages) {
    return pages.stream().filter(page -> ESCAPED.matcher(Html.text(page.title() + page.body())).find())
        .map(page -> page.path() + ": the search index cannot say "
            + ESCAPED.matcher(Html.text(page.title() + page.body())).results().map(MatchResult::group).toList())
        .toList();
  }

  public static String script(List<Page> pages) {
    var entries = new ArrayList<Entry>();
    for (var page : pages) {
      entries.add(new Entry(page.path(), Html.text(page.title()), Html.text(page.body())));
      for (var heading : page.headings()) {
        var href = page.path() + "#" + heading.id();
        entries.add(new Entry(href, Html.text(page.title() + " › " + heading.title()), heading.text()));
      }
    }
    return "const SEARCH_INDEX = " + JsonMapper.shared().writeValueAsString(entries) + ";\n";
  }
}
