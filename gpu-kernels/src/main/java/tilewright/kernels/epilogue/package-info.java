/**
 * What is done with a product on its way out: expressions as data, their tracing, and their reference on the CPU.
 */
package tilewright.kernels.epilogue;
