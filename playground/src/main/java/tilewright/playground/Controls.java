package tilewright.playground;

import java.util.function.Supplier;
import org.teavm.jso.browser.Location;
import org.teavm.jso.dom.html.HTMLInputElement;

/** The expression, the examples and the settings of the picture. */
final class Controls {
  private static final String EXPRESSION = "expression";
  private final Asking asking;
  private final Supplier<Question> current;

  Controls(Asking asking, Supplier<Question> current) {
    this.asking = asking;
    this.current = current;
    on(EXPRESSION, "input", question -> question.withExpression(Dom.input(EXPRESSION).getValue()));
    Dom.input(EXPRESSION).addEventListener("scroll", _ -> scrolled());
    for (var view : View.values()) on("view-" + view.word(), "change", question -> question.in(view));
    on("tile", "input", question -> question.over(Dom.input("tile").getValue()));
    on("spelling", "change", question -> question.spelled(Spelling.of(Dom.select("spelling").getValue())));
    on("no-swizzle", "click", question -> question.withExpression(SwizzleText.without(question.expression())));
    examples();
    Dom.element("copy-link").addEventListener("click",
        _ -> Dom.copy(link(), () -> Dom.text("copied", "The link is on the clipboard.")));
  }

  /** A change of the question that an event makes. */
  private interface Change {
    Question of(Question question);
  }

  private void on(String id, String event, Change change) {
    Dom.element(id).addEventListener(event, _ -> {
      var next = change.of(current.get());
      asking.ask(() -> next, event.equals("click"));
    });
  }

  /** The address of the page with the question; the address bar follows a little later. */
  private String link() {
    var address = Location.current().getFullURL();
    var hash = address.indexOf('#');
    return (hash < 0 ? address : address.substring(0, hash)) + "#" + current.get().toFragment();
  }

  private void examples() {
    var buttons = new StringBuilder();
    for (var i = 0; i < Example.ALL.size(); i++) {
      buttons.append("<button type=\"button\" id=\"example-").append(i).append("\">")
          .append(Dom.escaped(Example.ALL.get(i).title())).append("</button>\n");
    }
    Dom.element("examples").setInnerHTML(buttons.toString());
    for (var i = 0; i < Example.ALL.size(); i++) {
      var example = Example.ALL.get(i);
      on("example-" + i, "click", _ -> example.question());
    }
  }

  void show(Question question) {
    set(Dom.input(EXPRESSION), question.expression());
    set(Dom.input("tile"), question.tile());
    for (var view : View.values()) Dom.input("view-" + view.word()).setChecked(view == question.view());
    Dom.element("tile-setting").setHidden(question.view() != View.THREADS);
    Dom.element("bank-settings").setHidden(question.view() != View.BANKS);
    Dom.select("spelling").setValue(question.spelling().word());
    var inFront = SwizzleText.isInFront(question.expression());
    Dom.element("no-swizzle").setHidden(!inFront);
    Dom.text("copied", "");
  }

  /** What the reader types stays as it is, cursor included. */
  private static void set(HTMLInputElement input, String value) {
    if (!input.getValue().equals(value)) input.setValue(value);
  }

  /** Shows what is wrong with the expression, and a mark below the column where it begins. */
  void mark(Answer answer) {
    switch (answer) {
      case Answer.Known _ -> mark(-1, "");
      case Answer.Refused refused -> mark(refused.position(), "");
      case Answer.Wrong wrong -> mark(wrong.position(), wrong.message());
    }
  }

  private void mark(int position, String message) {
    var caret = Dom.element("caret");
    caret.setHidden(position < 0);
    caret.getStyle().setProperty("left", Math.max(0, position) + "ch");
    caret.setAttribute("data-column", "" + (position + 1));
    Dom.input(EXPRESSION).setAttribute("aria-invalid", message.isEmpty() ? "false" : "true");
    Dom.text("problem", message);
    if (position >= 0) scrolled();
  }

  private static void scrolled() {
    Dom.element("caret").getStyle().setProperty("transform",
        "translateX(-" + Dom.input(EXPRESSION).getScrollLeft() + "px)");
  }
}
