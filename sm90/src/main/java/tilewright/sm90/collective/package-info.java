/**
 * The parts of Hopper kernels: main loops of warpgroups that multiply, and epilogues.
 */
package tilewright.sm90.collective;
