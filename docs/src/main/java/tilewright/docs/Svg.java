package tilewright.docs;

/** A drawing that stands on its own: it follows the reader's light or dark setting and loads nothing. */
final class Svg {
  private static final String HEAD = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img"
          aria-label="%3$s">
      <style>
      text { font: 12px ui-monospace, monospace; fill: #1c2024; text-anchor: middle; dominant-baseline: central }
      text.small { font-size: 10px } text.cell { fill: #14171a }
      rect, path { stroke: #8a9299; stroke-width: 1; fill: none }
      rect.frame { stroke: #1c2024; stroke-width: 2.5 } rect.box { fill: #f5f6f7 } path.tip { fill: #8a9299 }
      @media (prefers-color-scheme: dark) {
        text { fill: #dfe3e6 } rect.frame { stroke: #fff } rect.box { fill: #1f2226 }
      }
      </style>
      """;

  private final StringBuilder content = new StringBuilder();
  private final int width;
  private final int height;
  private final String title;

  Svg(int width, int height, String title) {
    this.width = width;
    this.height = height;
    this.title = title;
  }

  /** A filled cell with a label; {@code color} counts around the circle of {@code colors} hues. */
  Svg cell(int x, int y, int w, int h, int color, int colors, String label) {
    int hue = 360 * color / colors;
    content.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" style=\"fill:hsl(%d 65%% 78%%)\"/>%n"
        .formatted(x, y, w, h, hue));
    return text(x + w / 2, y + h / 2, "cell", label);
  }

  Svg box(int x, int y, int w, int h, String... lines) {
    rectangle(x, y, w, h, "box");
    int first = y + h / 2 - 8 * (lines.length - 1);
    for (int i = 0; i < lines.length; i++) text(x + w / 2, first + 16 * i, i == 0 ? "" : "small", lines[i]);
    return this;
  }

  Svg frame(int x, int y, int w, int h) {
    return rectangle(x, y, w, h, "frame");
  }

  /** A horizontal or vertical line, or an elbow that goes sideways first, with a tip at its end. */
  Svg arrow(int fromX, int fromY, int toX, int toY) {
    content.append("<path d=\"M%d %dH%dV%d\"/>%n".formatted(fromX, fromY, toX, toY));
    boolean down = toY != fromY;
    int sign = down ? Integer.signum(toY - fromY) : Integer.signum(toX - fromX);
    content.append(down
        ? "<path class=\"tip\" d=\"M%d %dl-4 %dh8z\"/>%n".formatted(toX, toY, -7 * sign)
        : "<path class=\"tip\" d=\"M%d %dl%d -4v8z\"/>%n".formatted(toX, toY, -7 * sign));
    return this;
  }

  Svg line(int fromX, int fromY, int toX, int toY) {
    content.append("<path d=\"M%d %dL%d %d\"/>%n".formatted(fromX, fromY, toX, toY));
    return this;
  }

  Svg text(int x, int y, String style, String text) {
    var kind = style.isEmpty() ? "" : " class=\"" + style + "\"";
    content.append("<text x=\"%d\" y=\"%d\"%s>%s</text>%n".formatted(x, y, kind, Html.escape(text)));
    return this;
  }

  private Svg rectangle(int x, int y, int w, int h, String style) {
    content.append("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n".formatted(style, x, y, w, h));
    return this;
  }

  @Override
  public String toString() {
    return HEAD.formatted(width, height, Html.escape(title)) + content.toString().replace("\r", "") + "</svg>\n";
  }
}
