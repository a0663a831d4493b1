/**
 * The machine that compiled kernels run on: warps, memories, barriers, asynchronous copies, tensor cores, and the
 * checks. Generated code calls the public static methods; nothing here is exported.
 */
package tilewright.simulator.core;
