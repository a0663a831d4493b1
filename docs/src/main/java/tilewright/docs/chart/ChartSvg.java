package tilewright.docs.chart;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A chart as SVG within the page, in the colours of the page's theme. */
public final class ChartSvg {
  private static final int WIDTH = 760;
  private static final int LABELS = 210;
  private static final int BARS = 470;
  private static final int BAR = 14;
  private static final int BETWEEN_GROUPS = 10;
  private static final int LEGEND = 26;
  private static final int AXIS = 44;
  private static final int TICKS = 5;

  private final Chart chart;
  private final double tick;
  private final double end;
  private final int height;
  private final SvgFigure svg;

  private ChartSvg(Chart chart) {
    this.chart = chart;
    this.tick = tick(chart.longest() / TICKS);
    this.end = chart.longest();
    this.height = chart.groups().stream().mapToInt(ChartSvg::height).sum() + LEGEND + AXIS;
    this.svg = new SvgFigure(chart.name(), chart.title(), described(), WIDTH, height, chart.series());
  }

  /** The figure with its title; readers of the screen hear every value. */
  public static String of(Chart chart) {
    return new ChartSvg(chart).figure();
  }

  private String figure() {
    axis();
    legend();
    int y = LEGEND;
    for (var group : chart.groups()) {
      group(group, y);
      y += height(group);
    }
    return svg.end();
  }

  private void legend() {
    int x = svg.legend(LABELS);
    if (chart.hasFloor()) {
      svg.draw("<line class=\"floor\" x1=\"%d\" x2=\"%1$d\" y1=\"3\" y2=\"17\"/><text x=\"%d\" y=\"14\">floor</text>%n",
          x + 4, x + 12);
    }
  }

  private void axis() {
    for (int i = 0; i * tick <= end * (1 + 1e-9); i++) svg.grid(x(i * tick), LEGEND, height - AXIS, value(i * tick));
    svg.draw("<text class=\"middle\" x=\"%d\" y=\"%d\">%s</text>%n", LABELS + BARS / 2, height - 6,
        SvgFigure.escaped(chart.axis()));
  }

  private void group(Chart.Group group, int top) {
    int y = top + BETWEEN_GROUPS / 2;
    int bottom = y + BAR * group.values().size();
    svg.draw("<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>%n", LABELS - 8, (y + bottom) / 2 + 4,
        SvgFigure.escaped(group.label()));
    if (group.floor().isPresent()) {
      double x = x(chart.length(group, group.floor().getAsDouble()));
      svg.draw("<line class=\"floor\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"><title>floor %s</title></line>%n",
          x, y - 3, bottom + 3, value(group.floor().getAsDouble()));
    }
    for (var bar : group.values().entrySet()) {
      double x = x(chart.length(group, bar.getValue()));
      svg.draw("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/><text class=\"value\" x=\"%.1f\" "
          + "y=\"%d\">%s</text>%n", svg.colour(bar.getKey()), LABELS, y + 1, x - LABELS, BAR - 2, x + 5, y + BAR - 3,
          value(bar.getValue()));
      y += BAR;
    }
  }

  private String described() {
    return chart.groups().stream().map(group -> group.label() + ": " + group.values().entrySet().stream()
        .map(bar -> bar.getKey() + " " + value(bar.getValue())).collect(Collectors.joining(", "))
        + (group.floor().isPresent() ? ", floor " + value(group.floor().getAsDouble()) : ""))
        .collect(Collectors.joining("; "));
  }

  private double x(double length) {
    return LABELS + BARS * length / end;
  }

  private static int height(Chart.Group group) {
    return BAR * group.values().size() + BETWEEN_GROUPS;
  }

  /** The next of 1, 2 and 5 times a power of ten. */
  static double tick(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (var times : List.of(1, 2, 5)) {
      if (times * power >= least) return times * power;
    }
    return 10 * power;
  }

  /** Three significant digits at most. */
  static String value(double value) {
    if (value == Math.rint(value) || value >= 100) return String.format(Locale.ROOT, "%,d", Math.round(value));
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
  }
}
