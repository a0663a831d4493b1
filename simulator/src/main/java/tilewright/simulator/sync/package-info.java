/** Synchronisation: barriers of CTAs and clusters, mbarriers, the pool of registers, and fences under watch. */
package tilewright.simulator.sync;
