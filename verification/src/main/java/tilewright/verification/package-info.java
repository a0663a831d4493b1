/**
 * Three witnesses for every kernel: the simulator, a GPU where there is one, and the CPU reference. A {@code Case} is
 * one kernel on one input; {@link tilewright.verification.Verification} runs all of them and says where the witnesses
 * differ.
 */
package tilewright.verification;
