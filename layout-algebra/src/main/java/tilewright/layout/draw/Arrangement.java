package tilewright.layout.draw;

import java.util.List;

/** Where the panels of a picture go, and how large their cells are: the more of them, the smaller the type. */
final class Arrangement {
  private static final int GAP = 36;
  private static final int MARGIN = 8;
  private static final int TITLE = 26;
  private static final int LINE = 20;
  private static final int KEY = 12;
  /** Width of a character of ten pixels in a hundredth of a pixel; type of one width is 0.6 of its height. */
  private static final int CHARACTER = 620;

  private final Picture picture;
  private final int font;

  Arrangement(Picture picture) {
    this.picture = picture;
    var most = picture.panels().stream().mapToInt(panel -> Math.max(panel.rows(), panel.columns())).max().orElse(1);
    this.font = most <= 16 ? 12 : most <= 32 ? 11 : most <= 64 ? 9 : 7;
  }

  private static int characters(int count, int size) {
    return Math.ceilDiv(count * CHARACTER * size, 10 * 100);
  }

  private int cellWidth(Panel panel) {
    return Math.max(2 * font, characters(panel.columnCharacters(), font) + font / 2 + 2);
  }

  private int cellHeight(Panel panel) {
    return panel.labelLines() * (font + 2) + font - 2;
  }

  private static int rowLabelWidth(Panel panel) {
    return characters(Panel.longest(panel.rowLabels()), 10) + 10;
  }

  private int width(Panel panel) {
    var table = rowLabelWidth(panel) + cellWidth(panel) * panel.columns();
    var words = Math.max(characters(panel.title().length(), 12), characters(panel.note().length(), 10));
    return Math.max(table, rowLabelWidth(panel) + words);
  }

  private int height(Panel panel) {
    return (panel.title().isEmpty() ? 0 : LINE) + LINE + cellHeight(panel) * panel.rows()
        + (panel.note().isEmpty() ? 0 : LINE);
  }

  Drawing draw() {
    var panels = picture.panels();
    var width = panels.stream().mapToInt(this::width).sum() + GAP * Math.max(0, panels.size() - 1) + 2 * MARGIN;
    var height = panels.stream().mapToInt(this::height).max().orElse(0) + TITLE + 2 * MARGIN;
    width = Math.max(width, characters(picture.title().length(), 12) + 2 * MARGIN);
    var legend = height - MARGIN + LINE / 2;
    if (!picture.legend().text().isEmpty()) {
      width = Math.max(width, keysLeft() + 2 * KEY * picture.legend().keys().size() + MARGIN);
      height += LINE;
    }
    var drawing = new Drawing(width, height, picture.title(), font).text(MARGIN, MARGIN + 10, "title", picture.title());
    var x = MARGIN;
    for (var i = 0; i < panels.size(); i++) {
      draw(drawing, panels.get(i), x, MARGIN + TITLE);
      x += width(panels.get(i)) + GAP;
      join(drawing, picture.joint(i), x - GAP, MARGIN + TITLE + height(panels.getFirst()) / 2 + LINE / 2);
    }
    legend(drawing, legend);
    return drawing;
  }

  private static void join(Drawing drawing, Joint joint, int x, int y) {
    switch (joint) {
      case NONE -> { }
      case ARROW -> drawing.arrow(x + 3, y, x + GAP - 3, y);
      case EQUALS -> drawing.text(x + GAP / 2, y, "", "=");
    }
  }

  private int keysLeft() {
    return MARGIN + characters(picture.legend().text().length(), 10) + 2 * MARGIN;
  }

  private void legend(Drawing drawing, int y) {
    if (picture.legend().text().isEmpty()) return;
    drawing.text(MARGIN, y, "title small", picture.legend().text());
    var x = keysLeft();
    for (var key : picture.legend().keys()) {
      drawing.cell(x, y - KEY / 2, KEY, KEY, new Cell(0, 0, 1, key.colour(), List.of(), false, ""));
      drawing.text(x + KEY + KEY / 2, y, "axis", key.label());
      x += 2 * KEY;
    }
  }

  private void draw(Drawing drawing, Panel panel, int x, int y) {
    var left = x + rowLabelWidth(panel);
    var w = cellWidth(panel);
    var h = cellHeight(panel);
    if (!panel.title().isEmpty()) drawing.text(left, y + 8, "title", panel.title());
    var top = y + (panel.title().isEmpty() ? 0 : LINE) + LINE;
    columnLabels(drawing, panel.columnLabels(), left, top - 9, w);
    rowLabels(drawing, panel.rowLabels(), x + (left - x) / 2, top, h);
    // Heavy borders come last, so that no neighbour covers them.
    for (var marked : List.of(false, true)) {
      panel.cells().stream().filter(cell -> cell.marked() == marked)
          .forEach(cell -> drawing.cell(left + cell.column() * w, top + cell.row() * h, w * cell.columns(), h, cell));
    }
    for (var rule : panel.columnRules()) {
      var at = left + rule.before() * w;
      drawing.rule(at, top, at, top + panel.rows() * h, rule.weight());
    }
    for (var rule : panel.rowRules()) {
      var at = top + rule.before() * h;
      drawing.rule(left, at, left + panel.columns() * w, at, rule.weight());
    }
    if (!panel.note().isEmpty()) drawing.text(left, top + panel.rows() * h + 14, "title small", panel.note());
  }

  private static void columnLabels(Drawing drawing, List<String> labels, int left, int y, int width) {
    var step = step(characters(Panel.longest(labels), 10) + 4, width);
    for (var column = 0; column < labels.size(); column += step) {
      drawing.text(left + column * width + width / 2, y, "axis", labels.get(column));
    }
  }

  private static void rowLabels(Drawing drawing, List<String> labels, int x, int top, int height) {
    var step = step(10, height);
    for (var row = 0; row < labels.size(); row += step) {
      drawing.text(x, top + row * height + height / 2, "axis", labels.get(row));
    }
  }

  /** The least power of two of places that a label fits over. */
  private static int step(int needed, int place) {
    var step = 1;
    while (step * place < needed) step *= 2;
    return step;
  }
}
