package tilewright.docs;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;

/** Figures of the tiles of scores that attention visits, and of those that need a mask. */
final class AttentionFigures {
  private static final int TILE_QUERIES = 128;
  private static final int TILE_KEYS = 64;
  private static final int QUERIES = 512;
  private static final int KEYS = 640;
  private static final int WINDOW = 160;
  private static final int SKIPPED = 0;
  private static final int MASKED = 1;
  private static final int WHOLE = 2;

  private AttentionFigures() {}

  /** The treatment of each tile of scores, found by counting the elements that are seen. */
  static Picture blocks() {
    return Picture.of("Tiles of %d queries by %d keys, %d queries and %d keys".formatted(TILE_QUERIES, TILE_KEYS,
        QUERIES, KEYS), panel("causal", Integer.MAX_VALUE / 2), panel("window of " + WINDOW, WINDOW));
  }

  private static Panel panel(String title, int left) {
    var cells = new ArrayList<Cell>();
    for (int row = 0; row < QUERIES / TILE_QUERIES; row++) {
      for (int column = 0; column < KEYS / TILE_KEYS; column++) {
        int kind = kind(row, column, left);
        var text = List.of("", "mask", "whole").get(kind);
        cells.add(new Cell(row, column, 1, kind, List.of(text), kind == MASKED,
            "queries from " + row * TILE_QUERIES + ", keys from " + column * TILE_KEYS + ": "
                + (kind == SKIPPED ? "skipped" : text)));
      }
    }
    return Panel.of(title, QUERIES / TILE_QUERIES, KEYS / TILE_KEYS, cells)
        .labelled(row -> "q" + row * TILE_QUERIES, column -> "k" + column * TILE_KEYS);
  }

  static int kind(int row, int column, int left) {
    int seen = 0;
    for (int q = row * TILE_QUERIES; q < (row + 1) * TILE_QUERIES; q++) {
      int position = q + KEYS - QUERIES;
      for (int k = column * TILE_KEYS; k < (column + 1) * TILE_KEYS; k++) {
        if (k <= position && k >= position - left) seen++;
      }
    }
    return seen == 0 ? SKIPPED : seen == TILE_QUERIES * TILE_KEYS ? WHOLE : MASKED;
  }
}
