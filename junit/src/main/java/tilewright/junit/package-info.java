/**
 * Tests of kernels: {@link tilewright.junit.KernelTest} methods get a {@link tilewright.junit.Simulation} to run them in.
 */
package tilewright.junit;
