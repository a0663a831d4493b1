package tilewright.docs.chart;

import java.util.List;
import java.util.Locale;

/** A figure of the page as it is drawn: its head, a legend of named colours, and what charts add. */
final class SvgFigure {
  private static final List<String> COLOURS = List.of("ours", "peer-1", "peer-2", "peer-3", "peer-4");

  private final StringBuilder svg = new StringBuilder();
  private final List<String> names;

  /**
   * @param name part of the ids within the page
   * @param described what readers of the screen hear behind the title
   * @param names of what has a colour each
   */
  SvgFigure(String name, String title, String described, int width, int height, List<String> names) {
    this.names = names;
    draw("<figure class=\"chart\">%n<figcaption>%s</figcaption>%n<svg role=\"img\" aria-labelledby=\"chart-%s\" "
        + "viewBox=\"0 0 %d %d\">%n<title id=\"chart-%s\">%s</title>%n", escaped(title), name, width, height, name,
        escaped(title + ". " + described));
  }

  void draw(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }

  /** Draws the legend and returns where it ends. */
  int legend(int x) {
    int next = x;
    for (var name : names) {
      draw("<rect class=\"%s\" x=\"%d\" y=\"4\" width=\"12\" height=\"12\"/><text x=\"%d\" y=\"14\">%s</text>%n",
          colour(name), next, next + 17, escaped(name));
      next += 30 + name.length() * 7;
    }
    return next;
  }

  /** Draws a line of the grid with its number below. */
  void grid(double x, int top, int bottom, String number) {
    draw("<line class=\"grid\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"/><text class=\"middle\" x=\"%1$.1f\" "
        + "y=\"%d\">%s</text>%n", x, top, bottom, bottom + 16, number);
  }

  String colour(String name) {
    return COLOURS.get(names.indexOf(name) % COLOURS.size());
  }

  String end() {
    return svg + "</svg>\n</figure>\n";
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
