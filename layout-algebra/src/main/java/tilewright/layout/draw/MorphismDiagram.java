package tilewright.layout.draw;

import java.util.List;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;

/**
 * Morphisms of tuples side by side, as Carlisle, Shah, Stern and VanKoughnett draw them (Categorical Foundations for CuTe
 * Layouts): integers of the domain on the left, of the codomain on the right, an arrow from each to its position.
 */
public final class MorphismDiagram {
  private static final int ROW = 34;
  private static final int COLUMN = 190;
  private static final int LEFT = 60;
  private static final int TOP = 54;
  private static final int HALF_WIDTH = 14;
  private static final int HALF_HEIGHT = 12;
  /** Characters that fit a box of the usual width, and pixels of each further one's half. */
  private static final int FITTING = 3;
  private static final int HALF_CHARACTER = 4;

  private final List<TupleMorphism> morphisms;

  private MorphismDiagram(List<TupleMorphism> morphisms) {
    this.morphisms = morphisms;
  }

  /** @param morphisms in the order in which they apply; the codomain of one has as many integers as the next domain */
  public static MorphismDiagram of(TupleMorphism... morphisms) {
    if (morphisms.length == 0) throw new IllegalArgumentException("a diagram shows one morphism or more");
    for (int i = 1; i < morphisms.length; i++) {
      if (morphisms[i].domain().flatten().length != morphisms[i - 1].codomain().flatten().length) {
        throw new IllegalArgumentException("the domain of " + morphisms[i] + " is not the codomain of "
            + morphisms[i - 1]);
      }
    }
    return new MorphismDiagram(List.of(morphisms));
  }

  public String title() {
    return morphisms.reversed().stream().map(TupleMorphism::toString).reduce((a, b) -> a + " ∘ " + b).orElseThrow();
  }

  /** One line for each integer of a domain: itself and its position. */
  public String toText() {
    var text = new StringBuilder(title()).append('\n');
    for (var morphism : morphisms) {
      text.append("layout ").append(morphism.layout()).append('\n');
      long[] from = morphism.domain().flatten();
      long[] to = morphism.codomain().flatten();
      for (int i = 0; i < from.length; i++) {
        int position = morphism.map().get(i);
        text.append("%3d: %s → %s%n".formatted(i + 1, from[i],
            position == 0 ? "none" : "position " + position + " of " + morphism.codomain() + ", " + to[position - 1]));
      }
    }
    return text.toString();
  }

  public Drawing toDrawing() {
    int rows = morphisms.stream().mapToInt(m -> Math.max(m.domain().flatten().length, m.codomain().flatten().length))
        .max().orElse(0);
    var drawing = new Drawing(morphisms.size() * COLUMN + 2 * LEFT, TOP - HALF_HEIGHT + rows * ROW, title());
    column(drawing, 0, morphisms.getFirst().domain());
    for (int i = 0; i < morphisms.size(); i++) {
      column(drawing, i + 1, morphisms.get(i).codomain());
      arrows(drawing, i, morphisms.get(i));
    }
    return drawing;
  }

  private static void column(Drawing drawing, int column, IntTuple tuple) {
    int x = LEFT + column * COLUMN;
    drawing.text(x, 20, "small", tuple.toString());
    long[] extents = tuple.flatten();
    for (int i = 0; i < extents.length; i++) {
      int half = half(extents[i]);
      drawing.box(x - half, y(i) - HALF_HEIGHT, 2 * half, 2 * HALF_HEIGHT, String.valueOf(extents[i]));
    }
  }

  private static int half(long extent) {
    return HALF_WIDTH + HALF_CHARACTER * Math.max(0, String.valueOf(extent).length() - FITTING);
  }

  private static void arrows(Drawing drawing, int column, TupleMorphism morphism) {
    long[] from = morphism.domain().flatten();
    long[] to = morphism.codomain().flatten();
    for (int i = 0; i < from.length; i++) {
      int position = morphism.map().get(i);
      if (position == 0) continue;
      int x = LEFT + column * COLUMN + half(from[i]) + 2;
      int toX = LEFT + (column + 1) * COLUMN - half(to[position - 1]) - 2;
      int toY = y(position - 1);
      drawing.line(x, y(i), toX, toY);
      double angle = Math.atan2(toY - y(i), toX - x);
      for (double turn : new double[] {-0.4, 0.4}) {
        drawing.line(toX - (int) Math.round(9 * Math.cos(angle + turn)),
            toY - (int) Math.round(9 * Math.sin(angle + turn)), toX, toY);
      }
    }
  }

  private static int y(int row) {
    return TOP + row * ROW;
  }
}
