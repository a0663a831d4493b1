/** Lowers accesses to memory, synchronisation, and what the lanes of a warp exchange. */
package tilewright.simulator.compiler.memory;
