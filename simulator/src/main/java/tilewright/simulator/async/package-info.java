/** Asynchronous copies and stores: {@code cp.async}, bulk copies, tensor maps, and cluster launch control. */
package tilewright.simulator.async;
