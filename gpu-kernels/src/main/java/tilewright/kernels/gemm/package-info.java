/** GEMM on SM80 tensor cores: the kernel, its configurations, and the host side that turns a problem into a launch. */
package tilewright.kernels.gemm;
