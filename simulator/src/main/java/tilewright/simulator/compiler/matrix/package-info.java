/** Lowers matrix multiplications and accesses to Tensor Memory. */
package tilewright.simulator.compiler.matrix;
