/**
 * The way from a naive product to the Hopper GEMM, one idea a step: small kernels of bf16, A and B along k,
 * C row-major.
 */
package tilewright.sm90.ladder;
