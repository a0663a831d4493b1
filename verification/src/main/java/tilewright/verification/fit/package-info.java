/**
 * Fits of data that kernels are chosen by to measured times. {@link tilewright.verification.fit.GemmCostFit} is the
 * entry.
 */
package tilewright.verification.fit;
