package tilewright.verification;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** The rows of a verification as one page that needs nothing else. */
public final class HtmlReport {
  private static final String STYLE = """
      :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
      body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
      table { border-collapse: collapse; width: 100%; }
      th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8884; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; }
      .pass { color: #1a7f37; } .fail { color: #cf222e; font-weight: bold; } .skipped { color: #888; }
      """;

  private HtmlReport() {}

  /** @param environment facts of the machine, shown above the table, in order */
  public static String render(List<Row> rows, Map<String, String> environment) {
    var page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<title>Tilewright verification</title><style>\n").append(STYLE)
            .append("</style></head><body>\n<h1>Verification</h1>\n<p>")
        .append(summary(rows)).append("</p>\n<table>\n");
    environment.forEach((name, value) -> page.append("<tr><th>").append(escaped(name)).append("</th><td>")
        .append(escaped(value)).append("</td></tr>\n"));
    page.append("</table>\n<h2>Kernels</h2>\n<table>\n<tr>");
    for (var head : List.of("kernel", "arch", "backend", "config", "status", "max error", "mean error", "bit-exact",
        "findings", "ms", "reason")) {
      page.append("<th>").append(head).append("</th>");
    }
    page.append("</tr>\n");
    for (var row : rows) {
      page.append("<tr><td>").append(escaped(row.kernel())).append("</td><td>").append(escaped(row.arch()))
          .append("</td><td>")
          .append(escaped(row.backend())).append("</td><td>").append(escaped(row.config())).append("</td><td class=\"")
          .append(row.status().text()).append("\">").append(row.status().text()).append("</td>");
      boolean ran = row.status() != Row.Status.SKIPPED;
      number(page, number(row.maxError()));
      number(page, number(row.meanError()));
      number(page, row.bitExact().map(b -> b ? "yes" : "no").orElse(""));
      number(page, ran ? String.valueOf(row.findings()) : "");
      number(page, ran ? String.format(Locale.ROOT, "%.2f", row.ms()) : "");
      page.append("<td>").append(escaped(row.reason())).append("</td></tr>\n");
    }
    return page.append("</table>\n</body></html>\n").toString();
  }

  /** Counts, such as {@code 12 passed, 0 failed, 3 skipped}. */
  public static String summary(List<Row> rows) {
    return count(rows, Row.Status.PASS) + " passed, " + count(rows, Row.Status.FAIL) + " failed, "
        + count(rows, Row.Status.SKIPPED) + " skipped";
  }

  private static long count(List<Row> rows, Row.Status status) {
    return rows.stream().filter(row -> row.status() == status).count();
  }

  private static String number(OptionalDouble value) {
    return value.isPresent() ? String.format(Locale.ROOT, "%.2e", value.getAsDouble()) : "";
  }

  private static void number(StringBuilder page, String text) {
    page.append("<td class=\"number\">").append(text).append("</td>");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }
}
