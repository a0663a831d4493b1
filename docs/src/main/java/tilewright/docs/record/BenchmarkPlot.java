package tilewright.docs.record;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** A recorded benchmark as bars: ours as a fraction of the floor, with a mark at each peer's. */
final class BenchmarkPlot {
  private static final int LABELS = 430;
  private static final int BARS = 400;
  private static final int ROW = 18;
  private static final int LONGEST_LABEL = 60;

  private BenchmarkPlot() {}

  /** An SVG figure in the page's own colours; empty where no row has a floor. */
  static String svg(JsonNode run) {
    var bars = new StringBuilder();
    int rows = 0;
    for (var row : run.path("rows")) {
      if (!row.path("floor").isNumber()) continue;
      bars.append(bar(row, ROW * rows++ + ROW));
    }
    if (rows == 0) return "";
    int height = ROW * (rows + 2);
    return String.format(Locale.ROOT, "<svg class=\"benchmark\" role=\"img\" aria-label=\"fractions of the floor\" "
        + "viewBox=\"0 0 %d %d\" font-size=\"11\" font-family=\"sans-serif\" fill=\"currentColor\">%n"
        + "%s%s</svg>%n", LABELS + BARS + 40, height, axis(height), bars);
  }

  private static String axis(int height) {
    var axis = new StringBuilder();
    for (int percent = 0; percent <= 100; percent += 25) {
      double x = LABELS + BARS * percent / 100.0;
      axis.append(String.format(Locale.ROOT, "<line x1=\"%1$.0f\" y1=\"%2$d\" x2=\"%1$.0f\" y2=\"%3$d\" "
          + "stroke=\"currentColor\" stroke-opacity=\"0.25\"/><text x=\"%1$.0f\" y=\"%4$d\" text-anchor=\"middle\">"
          + "%5$d %%</text>%n", x, ROW / 2, height - ROW, height - 5, percent));
    }
    return axis.toString();
  }

  private static String bar(JsonNode row, int y) {
    double floor = row.get("floor").asDouble();
    var label = row.get("kernel").asString() + " " + row.get("config").asString();
    var marks = new StringBuilder();
    row.path("peers").properties().forEach(peer -> {
      double at = x(peer.getValue().asDouble() / floor);
      marks.append(String.format(Locale.ROOT, "<line x1=\"%1$.1f\" y1=\"%2$d\" x2=\"%1$.1f\" y2=\"%3$d\" "
          + "stroke=\"currentColor\" stroke-width=\"2\"><title>%4$s %5$.2f</title></line>%n", at, y - 12, y + 2,
          escaped(peer.getKey()), peer.getValue().asDouble()));
    });
    return String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
        + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"10\" fill-opacity=\"0.45\"><title>%.2f of %.2f %s</title>"
        + "</rect>%n%s", LABELS - 8, y, escaped(shortened(label)), LABELS, y - 10,
        x(row.get("ours").asDouble() / floor) - LABELS, row.get("ours").asDouble(), floor,
        escaped(row.get("unit").asString()), marks);
  }

  private static double x(double fraction) {
    return LABELS + BARS * Math.clamp(fraction, 0, 1.08);
  }

  private static String shortened(String label) {
    return label.length() <= LONGEST_LABEL ? label : label.substring(0, LONGEST_LABEL - 1) + "…";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
