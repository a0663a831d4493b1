/**
 * Kernels that run on every GPU from SM80 on: vector addition, transposition and the naive GEMM; and what packages of
 * larger kernels share: GEMM problems and their types, and pointwise functions.
 */
package tilewright.kernels;
