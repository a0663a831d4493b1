package tilewright.verification.cases;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A result beside the reference.
 *
 * @param bitExact whether every bit is as the model of the kernel's own arithmetic predicts; absent where nothing is
 *     modelled
 * @param violation the first place that breaks the error rule
 */
public record Verdict(OptionalDouble maxError, OptionalDouble meanError, Optional<Boolean> bitExact,
    Optional<String> violation) {
  /** The verdict on no result at all. */
  static final Verdict NONE =
      new Verdict(OptionalDouble.of(0), OptionalDouble.of(0), Optional.empty(), Optional.empty());

  /** The verdict on this result and another: the larger errors and the first violation, without a model of bits. */
  Verdict and(Verdict next) {
    return new Verdict(OptionalDouble.of(Math.max(maxError.orElse(0), next.maxError.orElse(0))),
        OptionalDouble.of(Math.max(meanError.orElse(0), next.meanError.orElse(0))), Optional.empty(),
        violation.or(next::violation));
  }
}
