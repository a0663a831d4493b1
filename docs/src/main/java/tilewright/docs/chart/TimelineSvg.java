package tilewright.docs.chart;

import java.util.stream.Collectors;

/** A timeline as SVG within the page, in the colours of the page's theme. */
public final class TimelineSvg {
  private static final int WIDTH = 760;
  private static final int LABELS = 130;
  private static final int SPANS = 610;
  private static final int LANE = 24;
  private static final int LEGEND = 26;
  private static final int AXIS = 44;
  private static final int TICKS = 6;

  private final Timeline timeline;
  private final int height;
  private final SvgFigure svg;

  private TimelineSvg(Timeline timeline) {
    this.timeline = timeline;
    this.height = LEGEND + LANE * timeline.lanes().size() + AXIS;
    this.svg = new SvgFigure(timeline.name(), timeline.title(), described(), WIDTH, height, timeline.kinds());
  }

  /** The figure with its title; readers of the screen hear when each lane was busy. */
  public static String of(Timeline timeline) {
    return new TimelineSvg(timeline).figure();
  }

  private String figure() {
    svg.legend(LABELS);
    double tick = ChartSvg.tick(timeline.end() / TICKS);
    for (int i = 0; i * tick <= timeline.end() * (1 + 1e-9); i++) {
      svg.grid(x(i * tick), LEGEND, height - AXIS, ChartSvg.value(i * tick));
    }
    svg.draw("<text class=\"middle\" x=\"%d\" y=\"%d\">%s</text>%n", LABELS + SPANS / 2, height - 6,
        SvgFigure.escaped(timeline.axis()));
    int y = LEGEND;
    for (var lane : timeline.lanes()) {
      lane(lane, y);
      y += LANE;
    }
    return svg.end();
  }

  private void lane(Timeline.Lane lane, int top) {
    svg.draw("<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>%n", LABELS - 8, top + LANE / 2 + 4,
        SvgFigure.escaped(lane.label()));
    for (var span : lane.spans()) {
      svg.draw("<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>%n",
          svg.colour(span.kind()), x(span.begin()), top + 4, x(span.end()) - x(span.begin()), LANE - 8,
          SvgFigure.escaped(described(span)));
    }
  }

  private String described() {
    return timeline.lanes().stream().map(lane -> lane.label() + ": "
        + lane.spans().stream().map(TimelineSvg::described).collect(Collectors.joining(", ")))
        .collect(Collectors.joining("; "));
  }

  private static String described(Timeline.Span span) {
    return "%s %s to %s".formatted(span.kind(), ChartSvg.value(span.begin()), ChartSvg.value(span.end()));
  }

  private double x(double value) {
    return LABELS + SPANS * value / timeline.end();
  }
}
