package tilewright.docs.html;

import java.util.List;
import java.util.stream.Collectors;

/** The frame of every page: navigation on the left, the page, its sections on the right. */
public final class Template {
  private static final String FRAME = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>%1$s · Tilewright</title>
      <link rel="stylesheet" href="%2$ssite.css">
      <script defer src="%2$ssearch-index.js"></script>
      <script defer src="%2$ssearch.js"></script>
      </head>
      <body data-root="%2$s">
      <nav class="site">
      <a class="name" href="%2$sindex.html">Tilewright</a>
      <input id="search" type="search" placeholder="Search" aria-label="Search">
      <ul id="found" hidden></ul>
      %3$s</nav>
      <main>
      <h1>%1$s</h1>
      %4$s
      </main>
      <nav class="page">
      %5$s</nav>
      </body>
      </html>
      """;

  private final List<Page> pages;

  public Template(List<Page> pages) {
    this.pages = pages;
  }

  public String render(Page page) {
    return FRAME.formatted(page.title(), page.toRoot(), navigation(page), page.body(), sections(page));
  }

  /** All pages but the first: the site's name leads there. */
  private String navigation(Page current) {
    return pages.stream().skip(1).map(page -> "<li class=\"%s%s\"><a href=\"%s\">%s</a></li>\n".formatted(
        page.toRoot().isEmpty() ? "top" : "nested", page == current ? " current" : "",
        current.toRoot() + page.path(), page.title())).collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
  }

  private static String sections(Page page) {
    return page.headings().stream().map(h -> "<li><a href=\"#%s\">%s</a></li>\n".formatted(h.id(), h.title()))
        .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
  }
}
