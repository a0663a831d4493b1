/**
 * Blackwell (SM100): GEMM on Tensor Memory, and atoms for two singles in one register pair and for 256-bit accesses
 * with a kernel on them.
 */
package tilewright.sm100;
