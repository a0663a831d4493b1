/** Counts what a launch executes and moves, and when its warps run and wait. */
package tilewright.simulator.profile;
