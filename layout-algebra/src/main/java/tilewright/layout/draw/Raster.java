package tilewright.layout.draw;

import java.util.ArrayList;
import java.util.List;

/** Pixels of a few colours, to which shapes are painted at a scale. */
final class Raster {
  /** Pixels of a picture at most, where a smaller scale allows. */
  private static final long MOST = 1 << 24;
  private static final int LARGEST_SCALE = 3;
  private static final int PAPER = 0xFFFFFF;
  private static final int INK = 0x1C2024;
  private static final int GREY = 0x8A9299;
  private static final int AXIS = 0x6A7178;
  private static final int PLAIN = 0xF5F6F7;
  private static final int SMALL = 10;
  private static final int USUAL = 12;

  private final Drawing drawing;
  private final int scale;
  private final int width;
  private final int height;
  private final byte[] pixels;
  private final List<Integer> colours = new ArrayList<>();

  private Raster(Drawing drawing) {
    this.drawing = drawing;
    this.scale = scale((long) drawing.width() * drawing.height());
    this.width = drawing.width() * scale;
    this.height = drawing.height() * scale;
    this.pixels = new byte[Math.multiplyExact(width, height)];
    colours.add(PAPER);
  }

  static Raster of(Drawing drawing) {
    var raster = new Raster(drawing);
    drawing.shapes().forEach(raster::paint);
    return raster;
  }

  private static int scale(long area) {
    int scale = LARGEST_SCALE;
    while (scale > 1 && area * scale * scale > MOST) scale--;
    return scale;
  }

  int width() {
    return width;
  }

  int height() {
    return height;
  }

  /** Numbers of colours, row by row from the top. */
  byte[] pixels() {
    return pixels;
  }

  /** The colours that the pixels number, as 0xRRGGBB. */
  List<Integer> colours() {
    return List.copyOf(colours);
  }

  private void paint(Shape shape) {
    switch (shape) {
      case Shape.Filled(var x, var y, var w, var h, var cell) -> cell(x, y, w, h, cell);
      case Shape.Box(var x, var y, var w, var h, var lines) -> {
        fill(x, y, w, h, PLAIN);
        border(x, y, w, h, 1, GREY);
        int first = y + h / 2 - 8 * (lines.size() - 1);
        for (int i = 0; i < lines.size(); i++) {
          text(x + w / 2, first + 16 * i, i == 0 ? USUAL : SMALL, INK, lines.get(i), false);
        }
      }
      case Shape.Frame(var x, var y, var w, var h) -> border(x, y, w, h, 2, INK);
      case Shape.Line(var fromX, var fromY, var toX, var toY) -> line(fromX, fromY, toX, toY, 1, GREY);
      case Shape.Rule(var fromX, var fromY, var toX, var toY, var weight) -> line(fromX, fromY, toX, toY, weight, INK);
      case Shape.Arrow arrow -> arrow(arrow);
      case Shape.Text(var x, var y, var style, var text) -> text(x, y, style.isEmpty() || style.equals("title") ? USUAL
          : SMALL, style.contains("axis") ? AXIS : INK, text, style.contains("title"));
    }
  }

  private void cell(int x, int y, int w, int h, Cell cell) {
    int colour = cell.colour() < 0 ? PLAIN : Palette.colour(cell.colour());
    fill(x, y, w, h, colour);
    border(x, y, w, h, cell.marked() ? 2 : 1, cell.marked() ? INK : GREY);
    int pitch = drawing.cellFont() + 2;
    int first = y + h / 2 - pitch * (cell.lines().size() - 1) / 2;
    for (int i = 0; i < cell.lines().size(); i++) {
      text(x + w / 2, first + pitch * i, drawing.cellFont(), Palette.textOn(colour), cell.lines().get(i), false);
    }
  }

  private void arrow(Shape.Arrow arrow) {
    line(arrow.fromX(), arrow.fromY(), arrow.toX(), arrow.fromY(), 1, GREY);
    line(arrow.toX(), arrow.fromY(), arrow.toX(), arrow.toY(), 1, GREY);
    boolean down = arrow.toY() != arrow.fromY();
    int back = arrow.toY() < arrow.fromY() || !down && arrow.toX() < arrow.fromX() ? 1 : -1;
    for (int step = 0; step <= 7 * scale; step++) {
      int half = step * 4 / 7;
      int x = arrow.toX() * scale + (down ? -half : back * step);
      int y = arrow.toY() * scale + (down ? back * step : -half);
      if (down) dots(x, y, 2 * half + 1, 1, GREY);
      else dots(x, y, 1, 2 * half + 1, GREY);
    }
  }

  private void line(int fromX, int fromY, int toX, int toY, int weight, int colour) {
    int steps = Math.max(1, Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY)) * scale);
    int thick = weight * Math.max(1, scale - 1);
    for (int i = 0; i <= steps; i++) {
      int x = fromX * scale + Math.round((float) (toX - fromX) * scale * i / steps);
      int y = fromY * scale + Math.round((float) (toY - fromY) * scale * i / steps);
      dots(x - thick / 2, y - thick / 2, thick, thick, colour);
    }
  }

  private void fill(int x, int y, int w, int h, int colour) {
    dots(x * scale, y * scale, w * scale, h * scale, colour);
  }

  private void border(int x, int y, int w, int h, int weight, int colour) {
    line(x, y, x + w, y, weight, colour);
    line(x, y + h, x + w, y + h, weight, colour);
    line(x, y, x, y + h, weight, colour);
    line(x + w, y, x + w, y + h, weight, colour);
  }

  /** @param size of the type in pixels; a character is 0.62 of it wide, and as large as whole dots make it */
  private void text(int x, int y, int size, int colour, String text, boolean begins) {
    int dot = Math.max(1, size * 62 * scale / (DotFont.ADVANCE * 100));
    int left = x * scale - (begins ? 0 : (text.length() * DotFont.ADVANCE - 1) * dot / 2);
    int top = y * scale - DotFont.HEIGHT * dot / 2;
    for (int i = 0; i < text.length(); i++) {
      for (int column = 0; column < DotFont.WIDTH; column++) {
        for (int row = 0; row < DotFont.HEIGHT; row++) {
          if (!DotFont.dot(text.charAt(i), column, row)) continue;
          dots(left + (i * DotFont.ADVANCE + column) * dot, top + row * dot, dot, dot, colour);
        }
      }
    }
  }

  /** A rectangle of pixels, as far as it lies in the picture. */
  private void dots(int x, int y, int w, int h, int colour) {
    int number = colours.indexOf(colour);
    if (number < 0) {
      number = colours.size();
      colours.add(colour);
    }
    for (int row = Math.max(0, y); row < Math.min(height, y + h); row++) {
      for (int column = Math.max(0, x); column < Math.min(width, x + w); column++) {
        pixels[row * width + column] = (byte) number;
      }
    }
  }
}
