/**
 * Comparison of every kernel on the simulator and, where there is one, on a GPU with the CPU reference.
 * {@link tilewright.verification.Verification} runs the cases and returns one {@link tilewright.verification.Row} each.
 */
package tilewright.verification;
