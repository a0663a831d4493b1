/**
 * The Blackwell GEMM on Tensor Memory: the kernel, its configurations, its narrow formats and their quantisation, and
 * the host side, from a problem to a launch; and a vector addition on 256-bit accesses.
 */
package tilewright.sm100;
