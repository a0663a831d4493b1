package tilewright.cli.launch;

import java.util.List;
import tilewright.simulator.Profile;

/** Profiles as one HTML page that needs nothing else. */
final class ProfilePage {
  private static final String STYLE = """
      :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
      body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
      table { border-collapse: collapse; margin: 1rem 0; }
      th, td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid #8884; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; }
      .track { position: relative; height: 1rem; margin: 1px 0 1px 9rem; background: #8882; }
      .track span { position: absolute; left: -9rem; width: 8.5rem; font-size: .75rem; }
      .track i { position: absolute; top: 0; bottom: 0; background: #3b7dd8; }
      .track i.wait { background: #e0a030; }
      """;
  private static final int MOST_TRACKS = 64;

  private final StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head>")
      .append("<meta charset=\"utf-8\"><title>Tilewright profile</title><style>\n").append(STYLE)
      .append("</style></head><body>\n");

  private ProfilePage() {}

  /** @param rows those without a profile are left out */
  static String of(List<LaunchRow> rows) {
    var page = new ProfilePage();
    for (var row : rows) row.profile().ifPresent(p -> page.launch(row, p));
    return page.page.append("</body></html>\n").toString();
  }

  private void launch(LaunchRow row, Profile p) {
    page.append("<h1>").append(escaped(row.launch())).append("</h1>\n<p>").append(escaped(ProfileText.occupancy(p)))
        .append("</p>\n");
    head("Instructions", "warps", "threads", "share");
    long all = p.classes().stream().mapToLong(Profile.ClassCount::threads).sum();
    p.classes().forEach(c -> row(c.name(), c.warps(), c.threads(), ProfileText.percent(c.threads(), all)));
    head("Space", "bytes read", "bytes written");
    p.spaces().forEach(s -> row(s.space(), s.bytesRead(), s.bytesWritten()));
    head("Shared memory", "line", "accesses", "wavefronts", "conflicts");
    p.sharedAccesses().forEach(b -> row(b.instruction(), ProfileText.where(b.line(), b.source()), b.accesses(),
        b.wavefronts(), b.conflicts()));
    head("Global memory", "line", "accesses", "sectors", "ideal");
    p.globalAccesses().forEach(g -> row(g.instruction(), ProfileText.where(g.line(), g.source()), g.accesses(),
        g.sectors(), g.ideal()));
    page.append("</table>\n<h2>Warps</h2>\n<p>").append(escaped(ProfileText.waits(p))).append("</p>\n");
    tracks(p.timeline());
  }

  private void head(String first, String... others) {
    if (!page.toString().endsWith("</p>\n")) page.append("</table>\n");
    page.append("<table>\n<tr><th>").append(first).append("</th>");
    for (var other : others) page.append("<th>").append(other).append("</th>");
    page.append("</tr>\n");
  }

  private void row(String first, Object... cells) {
    page.append("<tr><td>").append(escaped(first)).append("</td>");
    for (var cell : cells) page.append("<td class=\"number\">").append(escaped(cell.toString())).append("</td>");
    page.append("</tr>\n");
  }

  private void tracks(List<Profile.Slice> slices) {
    long end = slices.stream().mapToLong(Profile.Slice::end).max().orElse(1);
    String open = "";
    int tracks = 0;
    for (var s : slices) {
      var name = "block " + s.block() + " warp " + s.warp();
      if (!name.equals(open)) {
        if (tracks++ == MOST_TRACKS) break;
        if (!open.isEmpty()) page.append("</div>\n");
        page.append("<div class=\"track\"><span>").append(name).append("</span>");
        open = name;
      }
      page.append("<i").append(s.line() > 0 ? " class=\"wait\"" : "").append(" title=\"").append(escaped(s.what()))
          .append(s.line() > 0 ? " (line " + s.line() + ")" : "").append("\" style=\"left:")
          .append(hundredths(s.begin(), end)).append("%;width:").append(hundredths(s.end() - s.begin(), end))
          .append("%\"></i>");
    }
    if (!open.isEmpty()) page.append("</div>\n");
  }

  private static double hundredths(long part, long whole) {
    return Math.round(10000.0 * part / whole) / 100.0;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }
}
