package tilewright.playground;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.teavm.jso.browser.History;
import org.teavm.jso.browser.Location;
import org.teavm.jso.browser.Window;
import tilewright.layout.expression.Explanation;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;
import tilewright.layout.f2.Swizzle;

/** The page: asks the algebra what the reader types, and shows the answer. */
public final class Playground {
  /** The pause in typing after which the address takes the question. */
  private static final int QUIET_MS = 250;

  private final Board board = new Board();
  private final Derivation derivation = new Derivation(this::drawStep);
  private final SwizzleControls swizzles = new SwizzleControls(
      swizzle -> ask(() -> question().withExpression(SwizzleText.with(question().expression(), swizzle)), false));
  private final Controls controls = new Controls(this::ask, this::question);
  private final BankTable banks = new BankTable(this::ask, this::question);
  private Question question = Question.FIRST;
  private int asked;

  private Playground() {}

  public static void main(String[] arguments) {
    var page = new Playground();
    page.restore();
    Window.current().addEventListener("popstate", _ -> page.restore());
    Window.current().addEventListener("hashchange", _ -> page.restore());
  }

  private Question question() {
    return question;
  }

  /** Takes the question from the address. */
  private void restore() {
    var fragment = Location.current().getHash();
    var kept = Question.ofFragment(fragment.isEmpty() ? "" : fragment.substring(1));
    if (asked > 0 && kept.equals(question)) return;
    question = kept;
    controls.show(question);
    answer();
  }

  /**
   * Asks another question.
   *
   * @param entered whether the browser's history gets an entry; typing and dragging replace the last one
   */
  private void ask(Supplier<Question> next, boolean entered) {
    question = next.get();
    var address = "#" + question.toFragment();
    if (entered) History.current().pushState(null, "", address);
    controls.show(question);
    answer();
    var number = asked;
    // Browsers slow down pages that replace their address with every movement of a slider.
    if (!entered) {
      Window.setTimeout(() -> {
        if (number == asked) History.current().replaceState(null, "", address);
      }, QUIET_MS);
    }
  }

  /** Draws at once; what takes longer to work out follows when the picture is on the screen. */
  private void answer() {
    var number = ++asked;
    var answer = Answer.of(question);
    controls.mark(answer);
    swizzles.show(SwizzleText.first(question.expression()).orElse(Swizzle.IDENTITY));
    switch (answer) {
      case Answer.Known(var value) -> {
        Dom.element("result").setInnerHTML(Report.known(value));
        draw(value, question.view() == View.OPERATION ? lastStep() : Optional.empty());
      }
      case Answer.Refused refused -> {
        Dom.element("result").setInnerHTML(Report.refused(refused.reason()));
        lastStep().flatMap(step -> Views.witness(refused.reason(), step))
            .ifPresentOrElse(board::show, () -> board.show("No operand shows the violation."));
      }
      case Answer.Wrong _ -> {
        Dom.element("result").setInnerHTML("");
        // The last picture stays, pale, so that the page does not jump while the reader types.
        board.fade();
      }
    }
    Window.setTimeout(() -> {
      if (number == asked) follow(answer);
    }, 0);
  }

  private void follow(Answer answer) {
    derivation.show(answer instanceof Answer.Wrong ? List.of() : steps());
    banks.show(answer);
    Dom.element("playground").setAttribute("data-answered", question.toFragment());
  }

  private List<Explanation.Step> steps() {
    return Expression.parse(question.expression()).explain(question.spelling().dialect()).steps();
  }

  private Optional<Explanation.Step> lastStep() {
    var steps = steps();
    return steps.isEmpty() ? Optional.empty() : Optional.of(steps.getLast());
  }

  /** Draws the outcome of a step of the derivation; of the whole expression where none is given. */
  private void drawStep(Optional<Explanation.Step> step) {
    var expression = step.map(Explanation.Step::outcome).orElse(question.expression());
    switch (Answer.of(question.withExpression(expression))) {
      case Answer.Known(var value) -> draw(value, step.or(this::lastStep));
      case Answer.Refused _, Answer.Wrong _ -> { }
    }
  }

  private void draw(Value value, Optional<Explanation.Step> step) {
    try {
      board.show(Views.of(question, value, step));
    } catch (IllegalArgumentException | ArithmeticException e) {
      board.show(e.getMessage());
    }
  }
}
