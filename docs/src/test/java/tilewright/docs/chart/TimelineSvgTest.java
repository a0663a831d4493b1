package tilewright.docs.chart;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.docs.chart.Timeline.Lane;
import tilewright.docs.chart.Timeline.Span;

class TimelineSvgTest {
  @Test
  void aSpanBeginsAndEndsAtItsShareOfTheWhole() {
    var svg = TimelineSvg.of(new Timeline("x", "Title", "ms", List.of(
        new Lane("compute", List.of(new Span("kernel", 0, 4))), new Lane("copies", List.of(new Span("copy", 1, 3))))));
    // 610 for 4 ms, behind labels of 130.
    assertTrue(svg.contains("<rect class=\"ours\" x=\"130.0\" y=\"30\" width=\"610.0\""), svg);
    assertTrue(svg.contains("<rect class=\"peer-1\" x=\"282.5\" y=\"54\" width=\"305.0\""), svg);
    assertTrue(svg.contains("compute: kernel 0 to 4; copies: copy 1 to 3</title>"), svg);
  }

  @Test
  void whatEndsBeforeItBeginsAndAnEmptyTimelineAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Span("copy", 2, 1));
    var idle = List.of(new Lane("a", List.of()));
    assertThrows(IllegalArgumentException.class, () -> new Timeline("x", "Title", "ms", idle));
  }
}
