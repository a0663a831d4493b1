package tilewright.layout.draw;

import java.util.ArrayList;
import java.util.List;

/** Shapes on a page, in pixels: cells, boxes, arrows and text, shown as SVG, TikZ or HTML. */
public final class Drawing {
  private static final int FONT = 12;

  private final List<Shape> shapes = new ArrayList<>();
  private final int width;
  private final int height;
  private final String title;
  private final int cellFont;

  /** @param title what the drawing shows, for readers who cannot see it */
  public Drawing(int width, int height, String title) {
    this(width, height, title, FONT);
  }

  Drawing(int width, int height, String title, int cellFont) {
    this.width = width;
    this.height = height;
    this.title = title;
    this.cellFont = cellFont;
  }

  void cell(int x, int y, int width, int height, Cell cell) {
    add(new Shape.Filled(x, y, width, height, cell));
  }

  void rule(int fromX, int fromY, int toX, int toY, int weight) {
    add(new Shape.Rule(fromX, fromY, toX, toY, weight));
  }

  /** A box with lines of text in its middle, the first larger. */
  public Drawing box(int x, int y, int width, int height, String... lines) {
    return add(new Shape.Box(x, y, width, height, List.of(lines)));
  }

  /** A heavy border around what lies there. */
  public Drawing frame(int x, int y, int width, int height) {
    return add(new Shape.Frame(x, y, width, height));
  }

  /** A horizontal or vertical line, or an elbow that goes sideways first, with a tip at its end. */
  public Drawing arrow(int fromX, int fromY, int toX, int toY) {
    return add(new Shape.Arrow(fromX, fromY, toX, toY));
  }

  /** A thin line between two points. */
  public Drawing line(int fromX, int fromY, int toX, int toY) {
    return add(new Shape.Line(fromX, fromY, toX, toY));
  }

  /** @param style {@code small}, {@code axis} or {@code title} (begins at x); empty for text around x, y */
  public Drawing text(int x, int y, String style, String text) {
    return add(new Shape.Text(x, y, style, text));
  }

  private Drawing add(Shape shape) {
    shapes.add(shape);
    return this;
  }

  /** The elements, in the order in which they cover one another. */
  public List<Shape> shapes() {
    return List.copyOf(shapes);
  }

  public int width() {
    return width;
  }

  public int height() {
    return height;
  }

  public String title() {
    return title;
  }

  /** The height of the type in cells. */
  public int cellFont() {
    return cellFont;
  }

  /** An SVG document that follows the reader's light or dark setting and loads nothing. */
  public String toSvg() {
    return new SvgWriter(this).write();
  }

  /** A PNG file in light colours; its labels need no font of the system. */
  public byte[] toPng() {
    return PngWriter.write(this);
  }

  /** A LaTeX document of the class {@code standalone} with one {@code tikzpicture}. */
  public String toTikz() {
    return new TikzWriter(this).write();
  }

  /** An HTML page that says what a reader points at, and loads nothing. */
  public String toHtml() {
    return HtmlWriter.write(this);
  }
}
