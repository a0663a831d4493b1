/** Runs launches: lays out memory, spreads clusters over threads, and schedules their warps. */
package tilewright.simulator.machine;
