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
    Optional<String> violation) {}
