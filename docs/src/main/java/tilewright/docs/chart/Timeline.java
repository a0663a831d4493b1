package tilewright.docs.chart;

import java.util.LinkedHashSet;
import java.util.List;

/**
 * What ran when, one lane above the other.
 *
 * @param name part of the ids within the page
 * @param axis what the horizontal axis shows, with its unit
 */
public record Timeline(String name, String title, String axis, List<Lane> lanes) {
  public Timeline {
    lanes = List.copyOf(lanes);
    if (lanes.stream().allMatch(lane -> lane.spans().isEmpty())) {
      throw new IllegalArgumentException("nothing ran in the timeline '" + title + "'");
    }
  }

  /** The runs in one place, in order. */
  public record Lane(String label, List<Span> spans) {
    public Lane {
      spans = List.copyOf(spans);
    }
  }

  /**
   * One run.
   *
   * @param kind what has one colour, and a place in the legend
   * @param begin and {@code end} in units of the axis
   */
  public record Span(String kind, double begin, double end) {
    public Span {
      if (!(begin >= 0 && end >= begin)) throw new IllegalArgumentException(kind + " from " + begin + " to " + end);
    }
  }

  /** The kinds of all spans, in the order of the lanes. */
  List<String> kinds() {
    var kinds = new LinkedHashSet<String>();
    lanes.forEach(lane -> lane.spans().forEach(span -> kinds.add(span.kind())));
    return List.copyOf(kinds);
  }

  double end() {
    return lanes.stream().flatMap(lane -> lane.spans().stream()).mapToDouble(Span::end).max().orElseThrow();
  }
}
