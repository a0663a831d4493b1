/**
 * Kernels written by hand in PTX, on which the simulator's tests and its benchmark stand: each is a whole program of
 * its kind, not a sample of one instruction.
 */
package tilewright.simulator.witness;
