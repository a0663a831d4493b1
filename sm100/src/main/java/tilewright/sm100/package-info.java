/**
 * Blackwell (SM100): atoms for two singles in one register pair and for 256-bit accesses to global memory, and kernels
 * on them.
 */
package tilewright.sm100;
