/** Lowers arithmetic, comparisons and conversions. */
package tilewright.simulator.compiler.arithmetic;
