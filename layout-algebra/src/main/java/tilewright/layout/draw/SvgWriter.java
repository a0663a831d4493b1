package tilewright.layout.draw;

import java.util.TreeSet;

/** A drawing as SVG. Colours are classes, so that a picture of thousands of cells stays small. */
final class SvgWriter {
  private static final String STYLE = """
      svg { color-scheme: light dark; background: #fff }
      text { font: 12px ui-monospace, monospace; fill: #1c2024; text-anchor: middle; dominant-baseline: central }
      text.small, text.axis { font-size: 10px } text.axis { fill: #6a7178 } text.title { text-anchor: start }
      rect, path { stroke: #8a9299; stroke-width: 1; fill: none }
      rect.plain { fill: #f5f6f7 } rect.box { fill: #f5f6f7 } path.tip { fill: #8a9299 }
      rect.frame, rect.marked { stroke: #1c2024; stroke-width: 2.5 } path.rule { stroke: #1c2024 }
      """;
  private static final String DARK = """
      @media (prefers-color-scheme: dark) {
        svg { background: #16181b }
        text, text.plain { fill: #dfe3e6 } text.axis { fill: #9aa2a9 } rect.plain, rect.box { fill: #1f2226 }
        rect.frame, rect.marked { stroke: #fff } path.rule { stroke: #dfe3e6 }
      }
      """;

  private final Drawing drawing;
  private final StringBuilder content = new StringBuilder();

  SvgWriter(Drawing drawing) {
    this.drawing = drawing;
  }

  String write() {
    var size = drawing.width() + " " + drawing.height();
    content.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ").append(size).append("\" width=\"")
        .append(drawing.width()).append("\" height=\"").append(drawing.height())
        .append("\" role=\"img\"\n    aria-label=\"")
        .append(escaped(drawing.title())).append("\">\n<style>\n").append(STYLE);
    colours();
    content.append(DARK).append("</style>\n");
    drawing.shapes().forEach(this::shape);
    return content.append("</svg>\n").toString();
  }

  private void colours() {
    content.append("text.cell { font-size: ").append(drawing.cellFont()).append("px }\n");
    var used = new TreeSet<Integer>();
    for (var shape : drawing.shapes()) {
      if (shape instanceof Shape.Filled filled && filled.cell().colour() >= 0) used.add(number(filled.cell()));
    }
    for (var number : used) {
      var colour = Palette.colour(number);
      content.append("rect.c").append(number).append(" { fill: #").append(Palette.hex(colour)).append(" } text.c")
          .append(number).append(" { fill: #").append(Palette.hex(Palette.textOn(colour))).append(" }\n");
    }
  }

  private static int number(Cell cell) {
    return (int) (cell.colour() % Palette.COLOURS);
  }

  private static String style(Cell cell) {
    return cell.colour() < 0 ? "plain" : "c" + number(cell);
  }

  private void shape(Shape shape) {
    switch (shape) {
      case Shape.Filled filled -> cell(filled);
      case Shape.Box(var x, var y, var w, var h, var lines) -> {
        rectangle(x, y, w, h, "box");
        var first = y + h / 2 - 8 * (lines.size() - 1);
        for (var i = 0; i < lines.size(); i++) text(x + w / 2, first + 16 * i, i == 0 ? "" : "small", lines.get(i));
      }
      case Shape.Frame(var x, var y, var w, var h) -> rectangle(x, y, w, h, "frame");
      case Shape.Line(var fromX, var fromY, var toX, var toY) ->
          path("", "M" + fromX + " " + fromY + "L" + toX + " " + toY);
      case Shape.Rule(var fromX, var fromY, var toX, var toY, var weight) -> content
          .append("<path class=\"rule\" style=\"stroke-width:").append(weight)
          .append("\" d=\"M").append(fromX).append(' ').append(fromY).append('L').append(toX).append(' ').append(toY)
          .append("\"/>\n");
      case Shape.Arrow arrow -> arrow(arrow);
      case Shape.Text(var x, var y, var style, var text) -> text(x, y, style, text);
    }
  }

  private void cell(Shape.Filled place) {
    var cell = place.cell();
    content.append("<g>");
    // Browsers show a title when the reader points at its group.
    if (!cell.hover().isEmpty()) content.append("<title>").append(escaped(cell.hover())).append("</title>");
    rectangle(place.x(), place.y(), place.width(), place.height(), style(cell) + (cell.marked() ? " marked" : ""));
    var pitch = drawing.cellFont() + 2;
    var first = place.y() + place.height() / 2 - pitch * (cell.lines().size() - 1) / 2;
    for (var i = 0; i < cell.lines().size(); i++) {
      text(place.x() + place.width() / 2, first + pitch * i, "cell " + style(cell), cell.lines().get(i));
    }
    content.append("</g>\n");
  }

  private void arrow(Shape.Arrow arrow) {
    path("", "M" + arrow.fromX() + " " + arrow.fromY() + "H" + arrow.toX() + "V" + arrow.toY());
    var down = arrow.toY() != arrow.fromY();
    var towardsOrigin = arrow.toY() < arrow.fromY() || !down && arrow.toX() < arrow.fromX();
    var back = towardsOrigin ? 7 : -7;
    path("tip", "M" + arrow.toX() + " " + arrow.toY() + (down ? "l-4 " + back + "h8z" : "l" + back + " -4v8z"));
  }

  private void path(String style, String data) {
    content.append("<path").append(style.isEmpty() ? "" : " class=\"" + style + "\"").append(" d=\"").append(data)
        .append("\"/>\n");
  }

  private void rectangle(int x, int y, int width, int height, String style) {
    content.append("<rect class=\"").append(style).append("\" x=\"").append(x).append("\" y=\"").append(y)
        .append("\" width=\"").append(width).append("\" height=\"").append(height).append("\"/>");
  }

  private void text(int x, int y, String style, String text) {
    content.append("<text x=\"").append(x).append("\" y=\"").append(y).append('"')
        .append(style.isEmpty() ? "" : " class=\"" + style + "\"").append('>').append(escaped(text))
        .append("</text>\n");
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }
}
