package tilewright.layout.draw;

/** A drawing as a page, with a line that says what the reader points at. Well-formed as XML, too. */
final class HtmlWriter {
  private static final String HEAD = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width"/>
      <title>""";
  private static final String STYLE = """
      </title>
      <style>
      :root { color-scheme: light dark }
      body { margin: 1rem; font: 14px ui-monospace, monospace; background: #fff; color: #1c2024 }
      #told { position: sticky; top: 0; padding: 0.4rem 0; min-height: 1.2em; background: inherit; display: block }
      @media (prefers-color-scheme: dark) { body { background: #16181b; color: #dfe3e6 } }
      </style>
      </head>
      <body>
      <output id="told">Point at a cell.</output>
      """;
  private static final String SCRIPT = """
      <script>
      const told = document.getElementById("told");
      document.querySelector("svg").addEventListener("pointerover", event => {
        const title = event.target.closest("g")?.querySelector("title");
        if (title) told.textContent = title.textContent;
      });
      </script>
      </body>
      </html>
      """;

  private HtmlWriter() {}

  static String write(Drawing drawing) {
    return HEAD + SvgWriter.escaped(drawing.title()) + STYLE + drawing.toSvg() + SCRIPT;
  }
}
