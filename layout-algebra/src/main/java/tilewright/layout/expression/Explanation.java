package tilewright.layout.expression;

import java.util.List;
import java.util.Optional;
import tilewright.layout.decision.Certificate;

/**
 * How an expression got its value, innermost operations first.
 *
 * @param steps one for each operation that was reached
 * @param value what came out; nothing if the last step's operation is undefined
 */
public record Explanation(List<Step> steps, Optional<Value> value) {
  public Explanation {
    steps = List.copyOf(steps);
  }

  /**
   * One operation.
   *
   * @param operation with its operands, in notation
   * @param outcome the result, or that there is none
   * @param because the derivation, one fact per line
   * @param certificates of the results that the derivation states
   */
  public record Step(String operation, String outcome, List<String> because, List<Certificate> certificates) {
    public Step {
      because = List.copyOf(because);
      certificates = List.copyOf(certificates);
    }
  }

  /** Steps one below the other, numbered where there are several. */
  public String toText() {
    var text = new StringBuilder();
    for (int i = 0; i < steps.size(); i++) {
      var step = steps.get(i);
      if (steps.size() > 1) text.append(i + 1).append(". ");
      var link = step.outcome().startsWith("is ") ? " " : " = ";
      text.append(step.operation()).append(link).append(step.outcome()).append('\n');
      for (var line : step.because()) text.append("   ").append(line).append('\n');
    }
    if (steps.isEmpty()) value.ifPresent(text::append);
    return text.toString().stripTrailing();
  }
}
