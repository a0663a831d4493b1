/** Arithmetic of the instructions, lane by lane: integers, floats of every width, and conversions between them. */
package tilewright.simulator.arithmetic;
