/**
 * Mutated PTX for the simulator: a text runs, with or without findings, or is refused with a line. Nothing else is
 * thrown, and nothing hangs.
 */
package tilewright.simulator.fuzz;
