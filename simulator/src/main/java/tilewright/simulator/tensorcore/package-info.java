/**
 * The arithmetic of tensor cores without the machine around it: number formats, dot products bit for bit, and where
 * matrices lie in shared memory. Nothing here knows warps.
 */
package tilewright.simulator.tensorcore;
