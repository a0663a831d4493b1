package tilewright.playground;

import java.util.Optional;
import org.teavm.jso.dom.events.KeyboardEvent;
import org.teavm.jso.dom.events.MouseEvent;
import org.teavm.jso.dom.html.HTMLCanvasElement;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.Picture;
import tilewright.layout.draw.Shape;

/** The picture on the page, and the cell that the reader points at, with the mouse or the arrow keys. */
final class Board {
  private static final String CELL = "cell";

  private final HTMLCanvasElement canvas = (HTMLCanvasElement) Dom.element("picture");
  private Optional<Picture> picture = Optional.empty();
  private Optional<Drawing> drawing = Optional.empty();
  private Optional<Shape.Filled> pointed = Optional.empty();

  Board() {
    canvas.addEventListener("mousemove", event -> hover((MouseEvent) event));
    Dom.element("frame").addEventListener("keydown", event -> {
      if (move(((KeyboardEvent) event).getKey())) event.preventDefault();
    });
    Dom.element("copy-svg").addEventListener("click", _ -> picture.ifPresent(shown -> Dom.copy(shown.toSvg(),
        () -> Dom.text("copied", "The SVG is on the clipboard."))));
    Dom.element("save-svg").addEventListener("click",
        _ -> picture.ifPresent(shown -> Dom.save("layout.svg", shown.toSvg())));
    Dom.element("as-text").addEventListener("toggle", _ -> writeText());
    Dom.onTheme(() -> drawing.ifPresent(shown -> Painter.paint(canvas, shown)));
  }

  void show(Picture shown) {
    picture = Optional.of(shown);
    drawing = Optional.of(shown.toDrawing());
    Painter.paint(canvas, drawing.get());
    canvas.setClassName("");
    canvas.setAttribute("aria-label", shown.title());
    Dom.element("frame").setHidden(false);
    Dom.text("nothing", "");
    pointed = Optional.empty();
    Dom.element(CELL).setHidden(true);
    writeText();
    Dom.text("told", "Point at a cell, or go from cell to cell with the arrow keys.");
  }

  /** Keeps the picture of the last expression that had one, pale. */
  void fade() {
    canvas.setClassName("stale");
  }

  /** Shows a sentence in place of a picture. */
  void show(String whyNot) {
    picture = Optional.empty();
    drawing = Optional.empty();
    Dom.element("frame").setHidden(true);
    Dom.text("nothing", whyNot);
    Dom.text("told", "");
  }

  /** The picture in characters, where the reader has opened it. */
  private void writeText() {
    var open = Dom.element("as-text").hasAttribute("open");
    Dom.text("text", open ? picture.map(Picture::toText).orElse("") : "");
  }

  private Optional<Shape.Filled> at(int x, int y) {
    return drawing.flatMap(shown -> {
      for (var shape : shown.shapes()) {
        if (shape instanceof Shape.Filled cell && x >= cell.x() && x < cell.x() + cell.width() && y >= cell.y()
            && y < cell.y() + cell.height()) {
          return Optional.of(cell);
        }
      }
      return Optional.empty();
    });
  }

  private void hover(MouseEvent event) {
    at(event.getOffsetX(), event.getOffsetY()).filter(cell -> !Optional.of(cell).equals(pointed)).ifPresent(this::point);
  }

  private void point(Shape.Filled cell) {
    pointed = Optional.of(cell);
    var box = Dom.element(CELL);
    box.getStyle().setProperty("left", cell.x() + "px");
    box.getStyle().setProperty("top", cell.y() + "px");
    box.getStyle().setProperty("width", cell.width() + "px");
    box.getStyle().setProperty("height", cell.height() + "px");
    box.setHidden(false);
    Dom.text("told", cell.cell().hover());
  }

  /** Goes to the neighbour in the direction of an arrow key; to the first cell where none is pointed at. */
  private boolean move(String key) {
    var right = key.equals("ArrowRight") ? 1 : key.equals("ArrowLeft") ? -1 : 0;
    var down = key.equals("ArrowDown") ? 1 : key.equals("ArrowUp") ? -1 : 0;
    if (right == 0 && down == 0 || drawing.isEmpty()) return false;
    var next = pointed.isPresent() ? neighbour(pointed.get(), right, down) : first();
    next.ifPresent(cell -> {
      point(cell);
      Dom.scrollTo(Dom.element(CELL));
    });
    return true;
  }

  private Optional<Shape.Filled> neighbour(Shape.Filled cell, int right, int down) {
    var x = cell.x() + cell.width() / 2 + right * (cell.width() / 2 + 2);
    var y = cell.y() + cell.height() / 2 + down * (cell.height() / 2 + 2);
    return at(x, y);
  }

  private Optional<Shape.Filled> first() {
    return drawing.get().shapes().stream().filter(Shape.Filled.class::isInstance).map(Shape.Filled.class::cast)
        .findFirst();
  }
}
