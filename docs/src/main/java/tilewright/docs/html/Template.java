package tilewright.docs.html;

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

  private final Navigation navigation;

  public Template(Navigation navigation) {
    this.navigation = navigation;
  }

  public String render(Page page) {
    return FRAME.formatted(page.title(), page.toRoot(), navigation.html(page),
        page.body() + "\n" + navigation.neighbours(page), sections(page));
  }

  private static String sections(Page page) {
    return page.headings().stream().map(h -> "<li><a href=\"#%s\">%s</a></li>\n".formatted(h.id(), h.title()))
        .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
  }
}
