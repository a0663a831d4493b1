package tilewright.playground;

import java.util.List;
import java.util.Optional;
import tilewright.layout.expression.Explanation;

/** The derivation of a value, of which a slider shows one fact more at a time. */
final class Derivation {
  /** Takes the step whose last fact is shown; nothing where the whole derivation is. */
  interface Listener {
    void shown(Optional<Explanation.Step> step);
  }

  private static final String SLIDER = "step";

  private final Listener listener;
  private List<Explanation.Step> steps = List.of();

  Derivation(Listener listener) {
    this.listener = listener;
    Dom.input(SLIDER).addEventListener("input", _ -> move(Integer.parseInt(Dom.input(SLIDER).getValue())));
    Dom.element("back").addEventListener("click", _ -> move(Integer.parseInt(Dom.input(SLIDER).getValue()) - 1));
    Dom.element("next").addEventListener("click", _ -> move(Integer.parseInt(Dom.input(SLIDER).getValue()) + 1));
  }

  /** Shows all steps. */
  void show(List<Explanation.Step> shown) {
    steps = shown;
    Dom.element("derivation").setHidden(shown.isEmpty());
    Dom.input(SLIDER).setAttribute("max", "" + facts());
    Dom.input(SLIDER).setValue("" + facts());
    reveal(facts());
  }

  private static int facts(Explanation.Step step) {
    return Math.max(1, step.because().size());
  }

  private int facts() {
    return steps.stream().mapToInt(Derivation::facts).sum();
  }

  private void move(int fact) {
    var shown = Math.max(1, Math.min(facts(), fact));
    Dom.input(SLIDER).setValue("" + shown);
    listener.shown(reveal(shown));
  }

  /** Lists the first facts; returns the step that the last of them belongs to, unless all are shown. */
  private Optional<Explanation.Step> reveal(int shown) {
    var left = shown;
    var list = new StringBuilder();
    var last = Optional.<Explanation.Step>empty();
    for (var step : steps) {
      if (left <= 0) break;
      append(list, step, Math.min(left, facts(step)), left <= facts(step));
      left -= facts(step);
      last = Optional.of(step);
    }
    Dom.element("steps").setInnerHTML(list.toString());
    Dom.text("of", "fact " + shown + " of " + facts());
    Dom.input(SLIDER).setAttribute("aria-valuetext", "fact " + shown + " of " + facts());
    return shown == facts() ? Optional.empty() : last;
  }

  private static void append(StringBuilder list, Explanation.Step step, int shown, boolean current) {
    var whole = shown == facts(step);
    list.append(current ? "<li aria-current=\"step\">" : "<li>").append(Dom.code(step.operation()));
    if (whole) list.append(outcome(step));
    list.append("<ul>");
    for (var line : step.because().subList(0, Math.min(shown, step.because().size()))) {
      list.append("<li>").append(Dom.escaped(line)).append("</li>");
    }
    list.append("</ul>");
    if (whole && !step.certificates().isEmpty()) {
      list.append("<p class=\"proof\">").append(Dom.escaped(Proof.of(step.certificates()).text())).append("</p>");
    }
    list.append("</li>");
  }

  private static String outcome(Explanation.Step step) {
    return step.outcome().startsWith("is ") ? " <strong>" + Dom.escaped(step.outcome()) + "</strong>"
        : " = " + Dom.code(step.outcome());
  }
}
