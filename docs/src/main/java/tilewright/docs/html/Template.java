package tilewright.docs.html;

/** The frame of every page: a bar with search, theme and menu; the groups of pages; the page itself. */
public final class Template {
  private static final String FRAME = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>%1$s · Tilewright</title>
      <script src="%2$spage.js"></script>
      <link rel="stylesheet" href="%2$ssite.css">
      <script defer src="%2$ssearch-index.js"></script>
      <script defer src="%2$ssearch.js"></script>
      </head>
      <body data-root="%2$s">
      <a class="skip" href="#content">Skip to the page</a>
      <header class="bar">
      <a class="name" href="%2$sindex.html">Tilewright</a>
      <div class="finder" role="search">
      <input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off">
      <div id="found" role="status" hidden></div>
      </div>
      <button id="theme" type="button">Theme: auto</button>
      <button id="menu" type="button" aria-expanded="false" aria-controls="pages">Pages</button>
      </header>
      <nav class="site" id="pages" aria-label="Pages">
      %3$s</nav>
      <main id="content">
      <h1>%4$s</h1>
      %5$s
      %6$s</main>
      </body>
      </html>
      """;

  private final Navigation navigation;

  public Template(Navigation navigation) {
    this.navigation = navigation;
  }

  public String render(Page page) {
    return FRAME.formatted(Html.escape(Html.text(page.title())), page.toRoot(), navigation.html(page), page.title(),
        page.body(), navigation.neighbours(page));
  }
}
