package tilewright.reference;

import java.util.Optional;
import tilewright.numerics.ElementType;

/**
 * A result beside a reference in FP64, by the error rule: the error is at most 1.5 times that of the same
 * computation done step by step in the kernel's own precision, plus one unit in the last place of the output; and there
 * is no NaN or infinity that the reference lacks.
 *
 * @param maxError largest absolute error
 * @param meanError mean absolute error
 * @param bitExact whether every result equals the step-by-step computation, NaNs alike
 * @param violation the first element that breaks the rule, with its numbers
 */
public record Comparison(double maxError, double meanError, boolean bitExact, Optional<String> violation) {
  private static final double FACTOR = 1.5;

  /**
   * Compares some of the elements.
   *
   * @param ours the results
   * @param exact in FP64
   * @param stepwise in the kernel's own precision on the CPU
   * @param type of the output, for its unit in the last place
   */
  public static Comparison of(double[] ours, double[] exact, double[] stepwise, ElementType type, int[] elements) {
    double stepwiseError = 0;
    for (int i : elements) {
      double error = Math.abs(stepwise[i] - exact[i]);
      if (error < Double.POSITIVE_INFINITY) stepwiseError = Math.max(stepwiseError, error);
    }
    double max = 0;
    double sum = 0;
    boolean same = true;
    Optional<String> violation = Optional.empty();
    for (int i : elements) {
      same &= Double.compare(ours[i], stepwise[i]) == 0;
      // Where the exact result is beyond the format or no number, the format's own result is what counts.
      boolean comparable = Double.isFinite(exact[i]) && Double.isFinite(stepwise[i]);
      double error = comparable ? Math.abs(ours[i] - exact[i]) : 0;
      boolean good = comparable ? error <= FACTOR * stepwiseError + type.ulp(exact[i])
          : Double.compare(ours[i], stepwise[i]) == 0;
      if (!good && violation.isEmpty()) {
        violation = Optional.of("element " + i + " is " + ours[i] + ", reference " + exact[i]
            + ", in the kernel's own precision " + stepwise[i]);
      }
      if (Double.isFinite(error)) {
        max = Math.max(max, error);
        sum += error;
      }
    }
    return new Comparison(max, elements.length == 0 ? 0 : sum / elements.length, same, violation);
  }
}
