/**
 * Epilogues of matrix multiplies: expression trees as data, their tracing, and their reference on the CPU.
 */
package tilewright.kernels.epilogue;
