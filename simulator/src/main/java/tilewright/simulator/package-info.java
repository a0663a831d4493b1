/**
 * Runs PTX on the CPU and says what is wrong with it. {@link tilewright.simulator.Simulator#load} compiles a module,
 * {@link tilewright.simulator.Program#run} executes one launch of it.
 */
package tilewright.simulator;
