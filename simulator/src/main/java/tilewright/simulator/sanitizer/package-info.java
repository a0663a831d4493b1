/** Finds races and uninitialised reads: shadows of memory, vector clocks of threads, and asynchronous accesses. */
package tilewright.simulator.sanitizer;
