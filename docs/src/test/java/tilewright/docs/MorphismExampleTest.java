package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;

class MorphismExampleTest {

  /** CuTe gives (5,(2,2)):(16,(80,4)). */
  @Test
  void theStepsEndWithTheCompositionOfTheLayouts() {
    var steps = MorphismExample.steps();
    var outer = steps.get(0).morphism().layout();
    var inner = steps.get(1).morphism().layout();
    assertEquals(Layout.parse("(10,2):(16,4)"), outer);
    assertEquals(Layout.parse("(5,4):(1,5)"), inner);
    assertEquals(Layout.parse("(5,(2,2)):(16,(80,4))"), steps.getLast().morphism().layout());
    assertArrayEquals(LongStream.of(inner.offsets()).map(outer::apply).toArray(),
        steps.getLast().morphism().layout().offsets());
  }

  @Test
  void refiningChangesNoFunction() {
    var steps = MorphismExample.steps();
    assertArrayEquals(steps.get(1).morphism().layout().offsets(), steps.get(2).morphism().layout().offsets());
    assertArrayEquals(steps.get(0).morphism().layout().offsets(), steps.get(3).morphism().layout().offsets());
  }

  /** 5 goes through the first 5 to the fourth place behind 4, 2 and 2; the second 2 behind 4. */
  @Test
  void theFigureJoinsEachIntegerToItsPosition() {
    var figure = MorphismExample.figure().toSvg();
    // Six arrows, each of three strokes.
    assertEquals(18, figure.split("<path d=").length - 1);
    assertTrue(figure.contains("<path d=\"M266 54L424 156\"/>"), figure);
    assertTrue(figure.contains("<path d=\"M266 122L424 88\"/>"), figure);
  }
}
