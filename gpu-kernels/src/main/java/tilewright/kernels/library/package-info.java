/**
 * Descriptions of the kernels that are no family, one file each: those that every architecture runs, and what the
 * descriptions of GEMM and attention on all architectures share.
 */
package tilewright.kernels.library;
