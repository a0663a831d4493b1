/**
 * Kernels that run on every GPU from SM80 on: vector addition, transposition, and GEMM from naive to tensor cores, each
 * with the host side that turns a problem into a launch.
 */
package tilewright.kernels;
