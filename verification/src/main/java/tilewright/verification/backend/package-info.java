/**
 * Backends that run a case: the simulator, a GPU, or both with their results compared.
 */
package tilewright.verification.backend;
