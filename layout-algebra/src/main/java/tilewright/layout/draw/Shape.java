package tilewright.layout.draw;

import java.util.List;

/** An element of a drawing, in pixels from the top left. */
public sealed interface Shape {

  /** The place of a cell. */
  record Filled(int x, int y, int width, int height, Cell cell) implements Shape {}

  /** A box with lines of text in its middle, the first larger. */
  record Box(int x, int y, int width, int height, List<String> lines) implements Shape {
    public Box {
      lines = List.copyOf(lines);
    }
  }

  /** A heavy border. */
  record Frame(int x, int y, int width, int height) implements Shape {}

  /** A thin line. */
  record Line(int fromX, int fromY, int toX, int toY) implements Shape {}

  /** A line where a mode of a nested shape is complete. */
  record Rule(int fromX, int fromY, int toX, int toY, int weight) implements Shape {}

  /** Sideways first, then up or down, with a tip at the end. */
  record Arrow(int fromX, int fromY, int toX, int toY) implements Shape {}

  /** @param style names separated by spaces; {@code title} begins at x, everything else is centred */
  record Text(int x, int y, String style, String text) implements Shape {}
}
