/**
 * The Hopper GEMM: the kernel, its configurations and their cost model, and the host side, from a problem to a launch;
 * and a vector addition on bulk copies.
 */
package tilewright.sm90;
