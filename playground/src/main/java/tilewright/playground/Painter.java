package tilewright.playground;

import org.teavm.jso.browser.Window;
import org.teavm.jso.canvas.CanvasRenderingContext2D;
import org.teavm.jso.core.JSString;
import org.teavm.jso.dom.html.HTMLCanvasElement;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.Palette;
import tilewright.layout.draw.Shape;

/**
 * Paints a drawing on a canvas, as the SVG of the same drawing looks. Thousands of cells take a browser much longer as
 * elements of a document.
 */
final class Painter {
  private static final String FAMILY = "px ui-monospace, monospace";
  private static final int FONT = 12;
  private static final int SMALL = 10;
  private static final double HEAVY = 2.5;

  private final CanvasRenderingContext2D context;
  private final Drawing drawing;
  // Colours are strings of the browser: turning Java's into those for each of thousands of cells took most of the time.
  private final JSString ink;
  private final JSString ground;
  private final JSString faint;
  private final JSString line;
  private final JSString[] fills = new JSString[Palette.COLOURS];
  private final JSString[] inks = new JSString[Palette.COLOURS];

  private Painter(HTMLCanvasElement canvas, Drawing drawing) {
    this.context = (CanvasRenderingContext2D) canvas.getContext("2d");
    this.drawing = drawing;
    this.ink = Dom.style(canvas, "color");
    this.ground = Dom.style(canvas, "backgroundColor");
    this.faint = Dom.style(canvas, "outlineColor");
    this.line = Dom.style(canvas, "borderTopColor");
  }

  static void paint(HTMLCanvasElement canvas, Drawing drawing) {
    var pixels = Math.max(1, Window.current().getDevicePixelRatio());
    canvas.setWidth((int) (drawing.width() * pixels));
    canvas.setHeight((int) (drawing.height() * pixels));
    canvas.getStyle().setProperty("width", drawing.width() + "px");
    canvas.getStyle().setProperty("height", drawing.height() + "px");
    var painter = new Painter(canvas, drawing);
    painter.context.scale(pixels, pixels);
    painter.context.setTextBaseline("middle");
    painter.paint();
  }

  private void paint() {
    Dom.fillStyle(context, ground);
    context.fillRect(0, 0, drawing.width(), drawing.height());
    grounds();
    labels();
    for (var shape : drawing.shapes()) other(shape);
  }

  /** Cells without their labels: the type is set once for all labels. */
  private void grounds() {
    Dom.strokeStyle(context, line);
    context.setLineWidth(1);
    for (var shape : drawing.shapes()) {
      if (!(shape instanceof Shape.Filled(var x, var y, var width, var height, var cell))) continue;
      Dom.fillStyle(context, fill(cell));
      context.fillRect(x, y, width, height);
      context.strokeRect(x, y, width, height);
    }
    Dom.strokeStyle(context, ink);
    context.setLineWidth(HEAVY);
    for (var shape : drawing.shapes()) {
      if (shape instanceof Shape.Filled(var x, var y, var width, var height, var cell) && cell.marked()) {
        context.strokeRect(x, y, width, height);
      }
    }
  }

  private void labels() {
    context.setFont(drawing.cellFont() + FAMILY);
    context.setTextAlign("center");
    var pitch = drawing.cellFont() + 2;
    for (var shape : drawing.shapes()) {
      if (!(shape instanceof Shape.Filled(var x, var y, var width, var height, var cell))) continue;
      Dom.fillStyle(context, ink(cell));
      var first = y + height / 2 - pitch * (cell.lines().size() - 1) / 2;
      for (var i = 0; i < cell.lines().size(); i++) {
        context.fillText(cell.lines().get(i), x + width / 2, first + pitch * i);
      }
    }
  }

  private JSString fill(Cell cell) {
    if (cell.colour() < 0) return ground;
    var number = (int) (cell.colour() % Palette.COLOURS);
    if (fills[number] == null) fills[number] = hex(Palette.colour(number));
    return fills[number];
  }

  private JSString ink(Cell cell) {
    if (cell.colour() < 0) return ink;
    var number = (int) (cell.colour() % Palette.COLOURS);
    if (inks[number] == null) inks[number] = hex(Palette.textOn(Palette.colour(number)));
    return inks[number];
  }

  private static JSString hex(int colour) {
    return JSString.valueOf("#" + Palette.hex(colour));
  }

  /** The pictures of layouts have cells, rules and text; diagrams with boxes and arrows are not drawn here. */
  private void other(Shape shape) {
    switch (shape) {
      case Shape.Rule(var fromX, var fromY, var toX, var toY, var weight) -> line(fromX, fromY, toX, toY, weight, ink);
      case Shape.Line(var fromX, var fromY, var toX, var toY) -> line(fromX, fromY, toX, toY, 1, line);
      case Shape.Text(var x, var y, var style, var text) -> {
        context.setFont((style.contains("small") || style.equals("axis") ? SMALL : FONT) + FAMILY);
        context.setTextAlign(style.contains("title") ? "left" : "center");
        Dom.fillStyle(context, style.equals("axis") ? faint : ink);
        context.fillText(text, x, y);
      }
      case Shape.Arrow(var fromX, var fromY, var toX, var toY) -> {
        line(fromX, fromY, toX, fromY, 1, line);
        line(toX, fromY, toX, toY, 1, line);
      }
      case Shape.Filled _, Shape.Box _, Shape.Frame _ -> { }
    }
  }

  private void line(int fromX, int fromY, int toX, int toY, int weight, JSString colour) {
    Dom.strokeStyle(context, colour);
    context.setLineWidth(weight);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
    context.stroke();
  }
}
