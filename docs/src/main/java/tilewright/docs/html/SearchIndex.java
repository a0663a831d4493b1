package tilewright.docs.html;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** The text of every section as data that the search script reads; a script, because pages may be opened from files. */
public final class SearchIndex {
  private SearchIndex() {}

  private record Entry(String href, String title, String text) {}

  public static String script(List<Page> pages) {
    var entries = new ArrayList<Entry>();
    for (var page : pages) {
      entries.add(new Entry(page.path(), page.title(), Html.text(page.body())));
      for (var heading : page.headings()) {
        var href = page.path() + "#" + heading.id();
        entries.add(new Entry(href, page.title() + " › " + heading.title(), heading.text()));
      }
    }
    return "const SEARCH_INDEX = " + JsonMapper.shared().writeValueAsString(entries) + ";\n";
  }
}
