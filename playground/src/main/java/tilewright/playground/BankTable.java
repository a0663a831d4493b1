package tilewright.playground;

import java.util.function.Supplier;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** The accesses of a warp in a table, and the search for a swizzle without conflicts. */
final class BankTable {
  private static final String ACCESS = "access";

  private final Asking asking;
  private final Supplier<Question> current;
  /** The expression that the last search was about. */
  private String searched = "";

  BankTable(Asking asking, Supplier<Question> current) {
    this.asking = asking;
    this.current = current;
    for (var control : new String[] {"element-bytes", "access-bytes", ACCESS}) {
      Dom.element(control).addEventListener("change", _ -> asking.ask(this::set, false));
    }
    Dom.element("find-swizzle").addEventListener("click", _ -> find());
  }

  private Question set() {
    var element = Integer.parseInt(Dom.select("element-bytes").getValue());
    var access = Integer.parseInt(Dom.select("access-bytes").getValue());
    return current.get().accessing(element, Math.max(element, access), Dom.select(ACCESS).getValue());
  }

  void show(Answer answer) {
    var question = current.get();
    var shown = question.view() == View.BANKS && answer instanceof Answer.Known;
    Dom.element("accesses").setHidden(!shown);
    if (!question.expression().equals(searched)) Dom.text("swizzle-verdict", "");
    if (!shown) return;
    Dom.select("element-bytes").setValue("" + question.elementBytes());
    Dom.select("access-bytes").setValue("" + question.accessBytes());
    try {
      var report = BankReport.of(Views.map(((Answer.Known) answer).value()), question);
      options(report, question.access());
      Dom.element("access-rows").setInnerHTML(rows(report));
      Dom.text("columns", columns(report));
      Dom.element("find-swizzle").setHidden(!report.names().contains(question.access()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      Dom.element("access-rows").setInnerHTML("<tr><td colspan=\"5\">" + Dom.escaped(e.getMessage()) + "</td></tr>");
      Dom.text("columns", "");
    }
  }

  private static void options(BankReport report, String chosen) {
    var options = new StringBuilder();
    for (var name : report.names()) {
      options.append("<option value=\"").append(name).append("\">")
          .append(name.startsWith("mode") ? "along " + name : name).append("</option>");
    }
    Dom.element(ACCESS).setInnerHTML(options.toString());
    if (report.names().contains(chosen)) Dom.select(ACCESS).setValue(chosen);
  }

  private static String rows(BankReport report) {
    var rows = new StringBuilder();
    for (var row : report.rows()) {
      var conflict = row.wavefronts() > row.ideal();
      rows.append(conflict ? "<tr class=\"conflict\">" : "<tr>").append("<th scope=\"row\">").append(row.name())
          .append("</th><td>").append(row.lanes()).append("</td><td>").append(row.wavefronts()).append("</td><td>")
          .append(row.ideal()).append("</td><td>").append(Dom.escaped(row.verdict())).append("</td></tr>");
    }
    return rows.isEmpty() ? "<tr><td colspan=\"5\">no lane can access that number of bytes at once</td></tr>"
        : rows.toString();
  }

  private static String columns(BankReport report) {
    var text = new StringBuilder();
    for (var run : report.columns()) {
      var alone = run.first() == run.last();
      text.append(text.isEmpty() ? "Down each column: " : "; ").append(alone ? "column " : "columns ")
          .append(run.first()).append(alone ? "" : " to " + run.last()).append(": ")
          .append(run.wavefronts()).append(run.wavefronts() == 1 ? " wavefront" : " wavefronts")
          .append(run.wavefronts() > run.ideal() ? ", " + run.ideal() + " without conflicts" : "");
    }
    return text.toString();
  }

  /** Searches, and puts what is found into the expression; says why where there is none. */
  private void find() {
    var question = current.get();
    if (!(Answer.of(question) instanceof Answer.Known(var value))) return;
    try {
      var found = BankReport.of(Views.map(value), question).swizzle();
      if (found instanceof Decision.Defined<Swizzle>(var swizzle, var _)) {
        var next = question.withExpression(SwizzleText.with(question.expression(), swizzle));
        asking.ask(() -> next, true);
      }
      searched = current.get().expression();
      Dom.text("swizzle-verdict", verdict(found));
    } catch (IllegalArgumentException | ArithmeticException e) {
      Dom.text("swizzle-verdict", e.getMessage());
    }
  }

  private static String verdict(Decision<Swizzle> found) {
    return switch (found) {
      case Decision.Defined<Swizzle>(var swizzle, var certificate) -> swizzle + ": " + certificate.explain();
      case Decision.Undefined<Swizzle> none -> none.message();
    };
  }
}
