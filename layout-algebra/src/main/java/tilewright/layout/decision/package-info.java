/**
 * Answers of partial operations: a {@link tilewright.layout.decision.Decision} is a result with its certificate, or the
 * condition that fails with the numbers and a witness.
 */
package tilewright.layout.decision;
