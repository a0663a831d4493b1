package tilewright.layout.draw;

import java.util.List;

/** The elements of a drawing, in pixels from the top left. */
sealed interface Shape {

  record Filled(int x, int y, int width, int height, Cell cell) implements Shape {}

  record Box(int x, int y, int width, int height, List<String> lines) implements Shape {}

  record Frame(int x, int y, int width, int height) implements Shape {}

  record Line(int fromX, int fromY, int toX, int toY) implements Shape {}

  record Rule(int fromX, int fromY, int toX, int toY, int weight) implements Shape {}

  /** Sideways first, then up or down, with a tip at the end. */
  record Arrow(int fromX, int fromY, int toX, int toY) implements Shape {}

  /** @param style names separated by spaces; {@code title} begins at x, everything else is centred */
  record Text(int x, int y, String style, String text) implements Shape {}
}
