package tilewright.simulator;

import java.util.List;

/** PTX that the simulator cannot execute, with every reason. */
public final class UnsupportedPtxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Problem> problems;

  UnsupportedPtxException(List<Problem> problems) {
    super(text(problems));
    this.problems = List.copyOf(problems);
  }

  /** The problems, in the order of the PTX text. */
  public List<Problem> problems() {
    return problems;
  }

  private static String text(List<Problem> problems) {
    var text = new StringBuilder("the simulator cannot execute ").append(problems.size())
        .append(problems.size() == 1 ? " statement:" : " statements:");
    for (var p : problems) {
      text.append("\n  line ").append(p.line()).append(": ").append(p.text()).append(": ").append(p.reason());
    }
    return text.toString();
  }

  /** A statement by its line and text, and why it cannot be executed. */
  public record Problem(int line, String text, String reason) {}
}
