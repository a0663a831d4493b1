package tilewright.layout.draw;

import java.util.TreeSet;

/** A drawing as a LaTeX document. Its unit is a pixel, downwards, as in SVG. */
final class TikzWriter {
  private final Drawing drawing;
  private final StringBuilder content = new StringBuilder();

  TikzWriter(Drawing drawing) {
    this.drawing = drawing;
  }

  String write() {
    content.append("""
        \\documentclass[tikz,border=4pt]{standalone}
        \\usetikzlibrary{arrows.meta}
        """);
    var used = new TreeSet<Integer>();
    for (var shape : drawing.shapes()) {
      if (shape instanceof Shape.Filled filled && filled.cell().colour() >= 0) {
        used.add(Palette.colour(filled.cell().colour()));
        used.add(Palette.textOn(Palette.colour(filled.cell().colour())));
      }
    }
    for (var colour : used) {
      content.append("\\definecolor{").append(name(colour)).append("}{HTML}{").append(Palette.hex(colour))
          .append("}\n");
    }
    content.append("\\begin{document}\n% ").append(drawing.title().replace("\n", " ")).append('\n')
        .append("\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,")
        .append("every node/.style={font=\\ttfamily\\fontsize{9}{11}\\selectfont,inner sep=0pt},")
        .append("small/.style={font=\\ttfamily\\fontsize{7.5}{9}\\selectfont},\n")
        .append("  cell/.style={font=\\ttfamily\\fontsize{").append(drawing.cellFont() * 3 / 4.0).append("}{")
        .append(drawing.cellFont()).append("}\\selectfont}]\n");
    drawing.shapes().forEach(this::shape);
    return content.append("\\end{tikzpicture}\n\\end{document}\n").toString();
  }

  private static String name(int colour) {
    return "tw" + Palette.hex(colour);
  }

  private void shape(Shape shape) {
    switch (shape) {
      case Shape.Filled filled -> cell(filled);
      case Shape.Box(var x, var y, var w, var h, var lines) -> {
        rectangle("draw=gray,fill=gray!8", x, y, w, h);
        var first = y + h / 2 - 8 * (lines.size() - 1);
        for (var i = 0; i < lines.size(); i++) node(x + w / 2, first + 16 * i, i == 0 ? "" : "small", lines.get(i));
      }
      case Shape.Frame(var x, var y, var w, var h) -> rectangle("draw,line width=1.6pt", x, y, w, h);
      case Shape.Line(var fromX, var fromY, var toX, var toY) ->
          content.append("\\draw[gray] ").append(at(fromX, fromY)).append(" -- ").append(at(toX, toY)).append(";\n");
      case Shape.Rule(var fromX, var fromY, var toX, var toY, var weight) ->
          content.append("\\draw[line width=").append(weight * 3 / 4.0).append("pt] ").append(at(fromX, fromY))
              .append(" -- ").append(at(toX, toY)).append(";\n");
      case Shape.Arrow(var fromX, var fromY, var toX, var toY) ->
          content.append("\\draw[gray,-{Triangle}] ").append(at(fromX, fromY)).append(" -| ").append(at(toX, toY))
              .append(";\n");
      case Shape.Text(var x, var y, var style, var text) -> {
        var small = style.contains("small") || style.equals("axis") ? "small" : "";
        node(x, y, style.contains("title") ? "anchor=west" + (small.isEmpty() ? "" : "," + small) : small, text);
      }
    }
  }

  private void cell(Shape.Filled place) {
    var cell = place.cell();
    var fill = cell.colour() < 0 ? "fill=gray!8" : "fill=" + name(Palette.colour(cell.colour()));
    rectangle((cell.marked() ? "draw,line width=1.6pt," : "draw=gray,") + fill, place.x(), place.y(), place.width(),
        place.height());
    var ink = cell.colour() < 0 ? "cell" : "cell,text=" + name(Palette.textOn(Palette.colour(cell.colour())));
    var pitch = drawing.cellFont() + 2;
    var first = place.y() + place.height() / 2 - pitch * (cell.lines().size() - 1) / 2;
    for (var i = 0; i < cell.lines().size(); i++) {
      node(place.x() + place.width() / 2, first + pitch * i, ink, cell.lines().get(i));
    }
  }

  private void rectangle(String style, int x, int y, int width, int height) {
    content.append("\\path[").append(style).append("] ").append(at(x, y)).append(" rectangle ")
        .append(at(x + width, y + height)).append(";\n");
  }

  private void node(int x, int y, String style, String text) {
    content.append("\\node[").append(style).append("] at ").append(at(x, y)).append(" {").append(escaped(text))
        .append("};\n");
  }

  private static String at(int x, int y) {
    return "(" + x + "," + y + ")";
  }

  private static String escaped(String text) {
    var escaped = new StringBuilder();
    for (var character : text.toCharArray()) {
      escaped.append(switch (character) {
        case '_', '{', '}', '#', '$', '&', '%' -> "\\" + character;
        case '<' -> "\\textless{}";
        case '>' -> "\\textgreater{}";
        case '\\' -> "\\textbackslash{}";
        case '^' -> "\\textasciicircum{}";
        case '~' -> "\\textasciitilde{}";
        case '∘' -> "$\\circ$";
        case '→' -> "$\\to$";
        case '⊕' -> "$\\oplus$";
        case '×' -> "$\\times$";
        default -> String.valueOf(character);
      });
    }
    return escaped.toString();
  }
}
