/** Accesses of a warp's lanes to memory: from addresses to places, moves, atomics, matrices, and printed text. */
package tilewright.simulator.memory;
